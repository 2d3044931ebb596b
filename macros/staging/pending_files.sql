{% macro pending_files(files_sql, declared, base, head) %}
    {#-
        The files that this run has to take; refuses a folder that could not be listed, or is of another time zone.
        A command without the index, as dbt retry is, takes a folder as the runs of its date have found it last.
    -#}
    {% set files, replaced, copied = [], [], [] %}
    {#- Where nothing is new, nothing is asked but whether files were reapplied. -#}
    {% set may_have_files = may_have_newer_files(base) or head.readmitted_count %}
    {% set rows = query_rows(pending_files_sql(files_sql, declared, base, head, is_quick=true)) if may_have_files else [] %}
    {% for object in rows if object.kind == "unknown" and object.is_new %}
        {% do warn_of_table(
            declared,
            "objects that are not named as DMS names its files are not read, for instance " ~ object.path,
            "If one holds changes, upload it under the name that DMS gave it. dbt test tells of all that there are."
        ) %}
    {% endfor %}
    {% set rows = rows | rejectattr("kind", "equalto", "unknown") | list %}
    {% set differing = rows | map(attribute="kind") | select("in", ["vanished", "returned"]) | list %}
    {% if "vanished" in differing %}
        {% do tell_vanished_files(files_sql, declared, base, head) %}
    {% endif %}
    {% if differing %}
        {% set rows = query_rows(pending_files_sql(files_sql, declared, base, head)) if differing != ["vanished"] or rows | length > 1 else [] %}
    {% endif %}
    {% set doubts = rows | selectattr("kind", "in", ["unlisted", "retimed", "empty"]) | list if log_node("dms_files").get("has_additions") is none else [] %}
    {#- If one of two folders cannot be listed, that is noted of the table, and the other one counts as listed. -#}
    {% set listed_since = last_listings(declared).values() | min if doubts %}
    {% set doubted_by = doubts | map(attribute="noted_by") | max if doubts %}
    {% for file in rows if file not in doubts or file.noted_by == doubted_by >= listed_since %}
        {% set problem, is_new = file.pop("problem"), file.pop("is_new") %}
        {% do file.pop("noted_by") %}
        {#- What could not be listed where the table was declared before is nothing of it now. -#}
        {% if file.kind == "unlisted" and file.path != absolute_path(declared.path) %}{% continue %}{% endif %}
        {% if file.kind == "unlisted" %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": path " ~ file.path ~ " cannot be listed: " ~ problem ~ "\nNothing of this table was published. Check the path, "
                ~ "the endpoint and that Spark's credentials may list it. " ~ _then_again(declared)
            ) %}
        {% elif file.kind == "retimed" %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": file_timezone was another one when its change files were indexed, for instance " ~ problem ~ ". Nothing of this "
                ~ "table was published. Declare it as it was. " ~ _then_again(declared) ~ " (dbt retry does not look anew). If DMS writes names in "
                ~ "another zone from now on, let a run take all files of before while its task is stopped, move those away (with on_missing_files: warn; what was "
                ~ "taken of them stays published), and only then change both. "
                ~ "If it was wrong from the beginning, take all files of the table away, let DMS load it again, and declare the right one before the next run."
            ) %}
        {% endif %}
        {% if file.kind == "empty" %}
            {% do tell_empty_folder(files_sql, declared, file.path) %}
        {% else %}
            {% do files.append(file) %}
            {% if problem %}{% do copied.append(problem) %}{% endif %}
            {% if is_new and base and file.kind == "cdc" and file.generation < base.generation %}{% do replaced.append(file.path) %}{% endif %}
        {% endif %}
    {% endfor %}
    {#- Once: no version applies them, so that later runs find them again. -#}
    {% if replaced %}
        {% do warn_of_replaced_changes(declared, "change files were written before its full load, which replaces them", replaced) %}
    {% endif %}
    {% set loads = files | selectattr("kind", "equalto", "load") | list %}
    {% if base and loads | selectattr("generation", "gt", base.generation) | list %}
        {% do tell_copied_changes(files_sql, declared, base, files, copied) %}
    {% endif %}
    {#- The run after the first one takes what the first one left for its date. -#}
    {% if loads or files and not (base and base.indexed_from_run) %}
        {% set older = query_rows(changes_before_load_sql(files_sql, declared)) | map(attribute="path") | list %}
        {% set older = older if loads else older | select("in", files | map(attribute="path") | list) | list %}
        {% if older %}
            {% do warn_of_table(
                declared,
                "change files were written before its full load, and are laid over it (" ~ older | length ~ "): " ~ older[:3] | join(", ") ~ (", …" if older | length > 3),
                "If DMS had loaded the table again before a run saw it, they say what was before: let DMS load it once more; or, if all changes "
                ~ "of the day of that load were written before it, set cdc_start_date to the day after and build the table anew: "
                ~ run_command(declared.table_name, full_refresh=true)
            ) %}
        {% endif %}
    {% endif %}
    {% if not files and not base %}
        {% do refuse_unlisted_date(declared) %}
        {% set what = "there are no files under " ~ declared.path ~ " yet" %}
        {% if declared.on_missing_files == "fail" %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": " ~ what ~ ". Nothing was published, because on_missing_files is fail; with warn the table would be empty."
            ) %}
        {% endif %}
        {% do warn_of_table(
            declared,
            what,
            "DMS makes no folder for a table without rows, so the snapshot is empty. If it has rows, correct path in its "
            ~ "declaration: python -m pyspark_dms discover <root> --check tells what there is."
        ) %}
    {% endif %}
    {% do return(files) %}
{% endmacro %}

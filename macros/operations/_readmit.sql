{% macro _readmit(table, state, entries, attempt) %}
    {#-
        Lets the next run take the files of a rollback that has others above it, as it takes files that
        come late: only with all changes of their keys at hand can it be told which of them still counts.
    -#}
    {% set declared = table.declared %}
    {% set versions = _withheld_versions(declared, state, entries) %}
    {% if not versions %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": no file is withheld that the full load of today would take, so there is nothing to reapply. Nothing was "
            ~ "changed. Any version that the lake still has is reached by dbt run-operation rollback_to."
        ) %}
    {% endif %}
    {% set files = query_rows(_withheld_files_sql(declared, state, versions)) | sort(attribute="path") %}
    {% set gone = files | selectattr("noted", "equalto", "vanished") | map(attribute="path") | list %}
    {% set left = files | selectattr("noted", "equalto", "there") | list %}
    {% if gone or not left %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": the files of the undone versions (" ~ versions | join(", ") ~ ") cannot be taken again: "
            ~ (gone | length ~ " are gone, for instance " ~ gone[0] ~ ". Nothing was changed. Put them back as they were and let dbt run index them"
                if gone else "all were uploaded again, or belong to a full load that another full load replaces; what was uploaded last is taken by dbt run. Nothing was changed")
            ~ "; or go to a version that has them (dbt run-operation versions, then rollback_to), while its files are in the lake."
        ) %}
    {% endif %}
    {% if not attempt.dry_run %}
        {% do commit_version(declared, state.version, _restored_sql(declared, state, entries, state.newest, "reapply", versions)) %}
        {% do mark_published(table.relation, declared, state, state.version) %}
    {% endif %}
    {% set run_dates = [state.head.run_date] %}
    {% for version in versions %}{% do run_dates.append(entries[version].run_date) %}{% endfor %}
    {% if attempt.tells %}
        {% do print(
            declared.label ~ ": the files of the undone versions (" ~ versions | join(", ") ~ ") " ~ ("would be" if attempt.dry_run else "are")
            ~ " no longer withheld: " ~ left | length ~ ". Versions were published since, so readers see them when a run has put them in "
            ~ "their place among the other changes: dbt run --select +" ~ table.relation.identifier ~ given_target() ~ " --vars '{run_date: " ~ run_dates | max
            ~ "}', or that of any later date"
        ) %}
    {% endif %}
{% endmacro %}

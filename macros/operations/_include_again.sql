{% macro _include_again(table, state, attempt) %}
    {#-
        Lets the next run take the files of a rollback that has others above it, as it takes files that
        come late: only with all changes of their keys at hand can it be decided which of them still counts.
    -#}
    {% set declared = table.declared %}
    {% set versions = _excluded_versions(state) %}
    {% if not versions %}
        {% do fail(
            declared.label,
            "no file is excluded that the full load of today would take, so there is nothing to reapply",
            "Nothing was changed.",
            "Any version that the lake still has: dbt run-operation rollback_to"
        ) %}
    {% endif %}
    {% set files = query_rows(_excluded_files_sql(declared, state, versions)) | sort(attribute="path") %}
    {% set gone = files | selectattr("state", "equalto", "missing") | map(attribute="path") | list %}
    {% set left = files | selectattr("state", "equalto", "there") | list %}
    {% if gone or not left %}
        {% do fail(
            declared.label,
            "the files of the undone versions (" ~ versions | join(", ") ~ ") cannot be included again: "
            ~ (gone | length ~ " are missing, for instance " ~ gone[0] if gone
                else "all were uploaded again, or belong to a full load that another full load replaces"),
            "Nothing was changed.",
            ("Put them back as they were and let dbt run index them, or go" if gone else "What was uploaded last is taken by dbt run; or go")
            ~ " to a version that has them while its files are in the lake: dbt run-operation versions, then rollback_to"
        ) %}
    {% endif %}
    {% if not attempt.dry_run %}
        {% do commit_and_publish(
            table.relation, declared, state, _restored_manifest(declared, state, state.newest, "reapply", versions)
        ) %}
    {% endif %}
    {% set run_dates = [state.whole.dates.keys() | max if state.whole.dates else "", state.whole.current.run_date] %}
    {% for version in versions %}{% do run_dates.append(state.entries[version].run_date) %}{% endfor %}
    {% if attempt.reports %}
        {% do print(
            declared.label ~ ": the files of the undone versions (" ~ versions | join(", ") ~ ") " ~ ("would be" if attempt.dry_run else "are")
            ~ " no longer excluded: " ~ left | length ~ ". Versions were published since, so readers see them when a run has put them in "
            ~ "their place among the other changes: dbt run --select +" ~ table.relation.identifier ~ given_target() ~ " --vars '{run_date: " ~ run_dates | max
            ~ "}', or that of any later date"
        ) %}
    {% endif %}
{% endmacro %}

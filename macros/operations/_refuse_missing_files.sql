{% macro _refuse_missing_files(declared, target, slices) %}
    {#- A state is taken again only if every folder of it is still there. -#}
    {% set folders = [] %}
    {% for some in slices.values() %}
        {% for slice in some if slice.rows and slice.location not in folders %}{% do folders.append(slice.location) %}{% endfor %}
    {% endfor %}
    {% if not folders %}{% do return(none) %}{% endif %}
    {% set missing = missing_folders(folders) %}
    {% if missing %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": version " ~ target ~ " cannot be had again; its files were vacuumed, or deleted by hand, for instance below\n  "
            ~ missing | join("\n  ") ~ "\nNothing was changed. Choose another version (dbt run-operation "
            ~ "versions), or build the table anew with " ~ run_command(declared.table_name, full_refresh=true) ~ "."
        ) %}
    {% endif %}
{% endmacro %}

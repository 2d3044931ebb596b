{% macro create_copy_view(view, before, changed_keys, location, settings) %}
    {% call statement("view") %}
        create or replace temporary view {{ view }} (
            slice string, rows_found bigint, rows_updated bigint, rows_deleted bigint
        ) using dms_merge options (
            location {{ sql_string(location) }},
            before {{ sql_string(tojson(before)) }},
            changes {{ sql_string(changed_keys) }},
            settings {{ sql_string(tojson(settings)) }}
        )
    {% endcall %}
{% endmacro %}

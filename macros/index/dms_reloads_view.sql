{% macro dms_reloads_view(staged_files) %}
    {#-
        The third pre-hook of dms_files: a view of the tables whose full load is another one now. On
        most days no full load is new, and then nothing that was ever noted is asked.
    -#}
    {% if execute %}
        {% set has_new_loads = query_rows("select 1 as found from dms_differing_files where difference = 'load' limit 1") %}
    {% endif %}
create or replace temporary view dms_reloads as
{% if has_new_loads %}{{ reloads_sql(this, staged_files) }}{% else %}select '' as source_name, '' as table_name where false{% endif %}
{% endmacro %}

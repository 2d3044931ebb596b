{% macro dms_reloads_view(staged_files) %}
    {#-
        The third pre-hook of dms_files: a view of the tables whose full load is another one now. On
        most days no full load is new, or it is the first of its table, and then the notes of earlier
        ones are not asked; where nothing is new at all, nobody reads the view.
    -#}
    {% if execute and log_node(model.name).has_additions %}
        {% set loads = "select source_name, table_name from dms_differing_files where difference = 'load'" %}
        {% set may_be_reloads = query_rows(loads ~ " limit 1") and query_rows(
            "select 1 as found from " ~ staged_files ~ " as staged left semi join (" ~ loads ~ ") as loads"
            ~ " on staged.source_name = loads.source_name and staged.table_name = loads.table_name limit 1"
        ) %}
create or replace temporary view dms_reloads as
{% if may_be_reloads %}{{ reloads_sql(this, staged_files) }}{% else %}select '' as source_name, '' as table_name where false{% endif %}
    {% endif %}
{% endmacro %}

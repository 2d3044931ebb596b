{% macro dms_untaken_view(staged_files, ledger) %}
    {#-
        The fourth pre-hook of dms_files: a view of the files that are back as they were and that no run
        has taken. They are as new as any other: a run since may have left them out.
    -#}
    {% if execute and log_node(model.name).has_additions %}
        {% set back = query_rows("select distinct source_name, table_name from dms_differing_files where difference = 'returned'") %}
create or replace temporary view dms_untaken as
select
    back.source_name,
    back.table_name,
    back.path
from dms_differing_files as back
{% if back %}
left anti join ({{ taken_files_sql(staged_files, ledger, back) }}) as taken
    on
        back.source_name = taken.source_name
        and back.table_name = taken.table_name
        and back.path = taken.path
        and back.noted_etag = taken.etag
{% endif %}
where back.difference = 'returned'
    {% endif %}
{% endmacro %}

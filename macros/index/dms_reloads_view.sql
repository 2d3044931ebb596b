{% macro dms_reloads_view() %}
    {#-
        The third pre-hook of dms_files: a view of the tables whose full load is another one now. On
        most days no full load is new, or it is the first of its table, and then the notes of earlier
        ones are not asked; where nothing is new at all, nobody reads the view. Nor does
        the index wait for the logs: this command writes to them only later, and a log that is not there
        when it begins has nothing of an earlier run. Only columns are read that the logs have always had.
    -#}
    {% if execute and log_node(model.name).has_additions %}
        {% set staged_files = load_relation(named_relation("dms_staged_files")) %}
        {% set ledger = load_relation(named_relation("snapshot_versions")) %}
        {% set loaded = query_rows("select distinct source_name, table_name from dms_differing_files where difference = 'load'") %}
        {% set taken_files = taken_files_sql(staged_files, ledger, loaded) if loaded and (staged_files or ledger) %}
create or replace temporary view dms_reloads as
{% if taken_files and query_rows("select 1 as found from (" ~ taken_files ~ ") limit 1") %}{{ reloads_sql(this, taken_files) }}{% else %}select '' as source_name, '' as table_name where false{% endif %}
    {% endif %}
{% endmacro %}

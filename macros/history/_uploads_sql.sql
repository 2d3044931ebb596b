{% macro _uploads_sql(declared, newest) %}
    {#- The files that staging has, by run date, without those that were rolled back; each once. -#}
select distinct
    run_date,
    generation,
    file_seq,
    kind,
    path,
    etag,
    column_names,
    primary_keys,
    settings
from ({{ staged_uploads_sql(declared, newest) }})
{% endmacro %}

{% macro rewritten_files_sql(files_sql, declared) %}
    {#-
        The files that are gone, that no run took, and that are left out because their full load has begun
        anew since. DMS may have loaded the table again, and then all is there; but nothing tells that from
        a first file that a person has mended, and then their rows are missing.
    -#}
select
    gone.path,
    gone.noted_at
from ({{ vanished_files_sql(files_sql) }}) as gone
left anti join (
    select path
    from {{ ref("dms_staged_files") }}
    where {{ table_filter(declared) }}
) as staged
    on gone.path = staged.path
where gone.is_rewritten
{% endmacro %}

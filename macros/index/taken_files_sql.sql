{% macro taken_files_sql(staged_files, ledger, tables) %}
{#-
    The files that were ever staged or applied. Of what was rolled back the next run drops the staging,
    so that only the ledger still has it. Both have a partition for each table, and the names spare
    asking for those of the others.
-#}
{% set sources, names = [], [] %}
{% for table in tables %}
    {% do sources.append(sql_string(table.source_name)) %}
    {% do names.append(sql_string(table.table_name)) %}
{% endfor %}
{% set of_tables = "source_name in (" ~ sources | unique | join(", ") ~ ") and table_name in (" ~ names | unique | join(", ") ~ ")" %}
select
    source_name,
    table_name,
    path,
    etag,
    true as is_staged
from {{ staged_files }}
where {{ of_tables }}

union all

select
    source_name,
    table_name,
    inline(files) as (path, etag),
    false as is_staged
from {{ ledger }}
where {{ of_tables }}
{% endmacro %}

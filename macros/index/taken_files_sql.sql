{% macro taken_files_sql(staged_files, ledger, tables) %}
{#-
    The files that were ever staged or applied, and those that are rolled back (is_withheld). Of these the
    next run drops the staging, so that only the ledger still has them. Both have a partition for each
    table, and the names spare asking for those of the others. A log that is not there has none; one has to be.
-#}
{% set sources, names = [], [] %}
{% for table in tables %}
    {% do sources.append(sql_string(table.source_name)) %}
    {% do names.append(sql_string(table.table_name)) %}
{% endfor %}
{% set of_tables = "source_name in (" ~ sources | unique | join(", ") ~ ") and table_name in (" ~ names | unique | join(", ") ~ ")" %}
{% if staged_files %}
select
    source_name,
    table_name,
    path,
    etag,
    false as is_withheld
from {{ staged_files }}
where {{ of_tables }}
{% endif %}
{% if staged_files and ledger %}
union all
{% endif %}
{% if ledger %}
select
    source_name,
    table_name,
    inline(files) as (path, etag),
    false as is_withheld
from {{ ledger }}
where {{ of_tables }}

union all

select
    source_name,
    table_name,
    inline(withheld) as (path, etag),
    true as is_withheld
from (
    select
        source_name,
        table_name,
        max_by(withheld, version) as withheld
    from {{ ledger }}
    where {{ of_tables }}
    group by source_name, table_name
)
{% endif %}
{% endmacro %}

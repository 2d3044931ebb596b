{% macro drop_unpublished_staging(relation, declared, base, keep, newest=none) %}
    {#- What earlier attempts staged and never published is staged again by this run. -#}
    {% set dates = list_partitions(relation) | map(attribute="_dms_run_date") | reject("equalto", keep) | list %}
    {% if base %}{% set dates = dates | select("gt", base.run_date) | list %}{% endif %}
    {#- Meanwhile another run may have published what this one takes for left over. -#}
    {% set now = table_versions(declared) | last if newest and dates else newest %}
    {% if now != newest %}{% do refuse_second_writer(declared, now) %}{% endif %}
    {% for date in dates %}
        {% do run_query("alter table " ~ relation ~ " drop if exists partition (" ~ partition_spec({"_dms_run_date": date}) ~ ")") %}
        {% do run_query("alter table " ~ ref("dms_staged_files") ~ " drop if exists partition (" ~ partition_spec(table_partition(declared, date)) ~ ")") %}
    {% endfor %}
{% endmacro %}

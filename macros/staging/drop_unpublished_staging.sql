{% macro drop_unpublished_staging(relation, declared, base, dates, newest=none) %}
    {#- What earlier attempts staged and never published is staged again by this run. -#}
    {% if base %}{% set dates = dates | select("gt", base.run_date) | list %}{% endif %}
    {#- Meanwhile another run may have published what this one takes for left over. -#}
    {% set now = table_versions(declared) | last if newest and dates else newest %}
    {% if now != newest %}{% do refuse_second_writer(declared, now) %}{% endif %}
    {% set staged, logged = [], [] %}
    {% for date in dates %}
        {% do staged.append({"_dms_run_date": date}) %}
        {% do logged.append(table_partition(declared, date)) %}
    {% endfor %}
    {#- In this order, because staging has every date that the log has: see stage_files. -#}
    {% do drop_partitions(ref("dms_staged_files"), logged) %}
    {% do drop_partitions(relation, staged) %}
{% endmacro %}

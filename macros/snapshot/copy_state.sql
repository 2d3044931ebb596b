{% macro copy_state(relation, declared, plan, changed_keys, rows_in, arriving, location) %}
    {#- Writes the slices that the changes touch, by copying in columns; returns all slices and what was there. -#}
    {% set view = sql_name(relation.identifier ~ "__copy") %}
    {% set before = before_slices(plan) %}
    {% set untouched = [] %}
    {% set settings = {
        "table": declared.label,
        "columns": reader_settings(declared).columns,
        "primary_keys": declared.primary_keys,
        "load_generation": plan.staged.generation if plan.action == "build" else none,
        "replaced": none,
        "arriving": none,
        "counts_only": false,
        "staged": rows_in,
    } %}
    {% if declared.partition_date %}
        {#- Which slices a changed key is in, only the keys tell. -#}
        {% do create_copy_view(view, before, changed_keys, location, dict(settings, counts_only=true)) %}
        {% set existing = query_rows(copied_counts_sql(view)) %}
        {% set untouched = untouched_slices(declared, plan, arriving, existing) %}
        {% do settings.update({"arriving": arriving | selectattr("live_keys") | map(attribute="slice") | list}) %}
    {% endif %}
    {% set touched = before | reject("in", untouched) | list %}
    {% if declared.partition_date and not touched and not settings.arriving %}
        {% do return({"slices": untouched, "replaced": [], "existing": existing}) %}
    {% endif %}

    {% if keeps_replaced(declared, plan) %}{% do settings.update({"replaced": location ~ "-replaced"}) %}{% endif %}
    {% do create_copy_view(view, touched, changed_keys, location, settings) %}
    {% set copied = query_rows(copied_counts_sql(view)) %}
    {% set written = query_rows(written_slices_sql(declared, location)) %}
    {% for slice in written %}{% do slice.update({"location": location ~ ("/partition_date=" ~ slice.slice if slice.slice else "")}) %}{% endfor %}
    {% do return({
        "slices": untouched + written,
        "replaced": [{"location": settings.replaced}] if settings.replaced else [],
        "existing": existing or copied,
    }) %}
{% endmacro %}

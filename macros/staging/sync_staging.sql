{% macro sync_staging(declared) %}
    {#- What was declared since the last run is a column that staging does not have yet, and that is about to be read. -#}
    {% do sync_columns(model_relation("stg_" ~ declared.source_name ~ "__" ~ declared.table_name), declared.columns, declared.label) %}
{% endmacro %}

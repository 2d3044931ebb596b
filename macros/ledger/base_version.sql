{% macro base_version(declared, versions) %}
    {#- The version that this run starts from: the newest one of an earlier run date, or none. -#}
    {% set newest = versions | last %}
    {% if newest and newest.run_date > run_date() %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": run_date " ~ run_date() ~ " is before the newest published one, " ~ newest.run_date
            ~ ". Nothing was changed. Run with run_date " ~ newest.run_date ~ " or later."
        ) %}
    {% endif %}
    {% if should_full_refresh() %}
        {% do return(none) %}
    {% endif %}
    {% do return(versions | rejectattr("run_date", "equalto", run_date()) | list | last) %}
{% endmacro %}

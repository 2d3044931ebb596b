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
    {% if newest and newest.run_date == run_date() %}
        {#- The same date again starts where it started before: after a full refresh, from nothing. -#}
        {% set base = read_version(declared, newest).base_version %}
        {% do return(versions | selectattr("version", "equalto", base) | list | first) %}
    {% endif %}
    {% do return(newest) %}
{% endmacro %}

{% macro run_date() %}
    {% set value = var("run_date", run_started_at.strftime("%Y-%m-%d")) | string %}
    {% if not dms_snapshots.is_date(value) %}
        {% do dms_snapshots.fail(
            "E104",
            none,
            "run_date: '" ~ value ~ "' is not a date",
            "Nothing was run.",
            "Allowed is YYYY-MM-DD, for example dbt run --vars '{run_date: 2026-11-20}'."
        ) %}
    {% endif %}
    {#- A version of a date far ahead would shut out every run until that date. -#}
    {% if value > dms_snapshots.tomorrow() %}
        {% do dms_snapshots.fail(
            "E104",
            none,
            "run_date: " ~ value ~ " has not come yet",
            "Nothing was run.",
            "Allowed is any date up to " ~ dms_snapshots.tomorrow() ~ "."
        ) %}
    {% endif %}
    {% do return(value) %}
{% endmacro %}


{% macro tomorrow() %}
    {%- do return((run_started_at + modules.datetime.timedelta(days=1)).strftime("%Y-%m-%d")) -%}
{% endmacro %}


{% macro is_date(value) %}
    {% if modules.re.match("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", value) %}
        {% set year, month, day = value.split("-") | map("int") %}
        {% if year >= 1 and 1 <= month <= 12 and 1 <= day <= 31 %}
            {% set first = modules.datetime.datetime(year, month, 1) %}
            {% do return((first + modules.datetime.timedelta(days=day - 1)).month == month) %}
        {% endif %}
    {% endif %}
    {% do return(false) %}
{% endmacro %}


{% macro run_name() %}
    {%- do return(run_started_at.strftime("%Y%m%dT%H%M%S%fZ")) -%}
{% endmacro %}


{% macro broadcast_max_keys() %}
    {% do return(var("broadcast_max_keys", 5000000)) %}
{% endmacro %}


{% macro check_time_zone(time_zone) %}
    {% if time_zone not in ["UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z", "+00:00"] %}
        {% do dms_snapshots.fail(
            "E709",
            none,
            "The time zone of the Spark session is " ~ time_zone,
            "Nothing was changed.",
            "Set spark.sql.session.timeZone: UTC in the target of profiles.yml (with the method thrift: "
            ~ "set:spark.sql.session.timeZone, below server_side_parameters)."
        ) %}
    {% endif %}
{% endmacro %}

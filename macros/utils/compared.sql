{% macro compared_text_sql(column, is_shown=false) %}
    {% set value, form = dms_snapshots.sql_name(column.name), column.form %}
    {% set is_text = column.data_type | lower == "string" %}
    {% if form in ["double", "real"] %}
        {% set value = "cast(" ~ ("cast(" ~ value ~ " as float)" if form == "real" else value) ~ " as double)" %}
        {% do return("cast(" ~ value ~ " as string)" if is_shown else dms_snapshots._double_text_sql(value)) %}
    {% elif form == "char" %}
        {% do return("rtrim(" ~ value ~ ")") %}
    {% elif form == "timestamp" %}
        {% do return("date_format(cast(" ~ value ~ " as timestamp), 'yyyy-MM-dd HH:mm:ss.SSSSSS')") %}
    {% elif form == "binary" %}
        {% do return("lower(" ~ (value if is_text else "hex(" ~ value ~ ")") ~ ")") %}
    {% elif form == "boolean" and not is_text %}
        {% do return("cast(cast(" ~ value ~ " as int) as string)") %}
    {% elif form == "boolean" %}
        {% do return(
            "case when lower(trim(" ~ value ~ ")) in ('true', 't', '1', 'yes', 'y', 'on') then '1'"
            ~ " when lower(trim(" ~ value ~ ")) in ('false', 'f', '0', 'no', 'n', 'off') then '0'"
            ~ " else " ~ value ~ " end"
        ) %}
    {% elif form.startswith("decimal") %}
        {% do return(dms_snapshots._decimal_text_sql(value, form[:-1].split(",")[1] | int)) %}
    {% endif %}
    {% do return("cast(" ~ value ~ " as string)") %}
{% endmacro %}


{% macro compared_row_sql(columns) %}
    {% set parts = [] %}
    {% for column in columns %}
        {% set text = dms_snapshots.compared_text_sql(column) %}
        {% if column.form in ["text", "char"] %}
            {% set text = "concat(char_length(" ~ text ~ "), ':', " ~ text ~ ")" %}
        {% endif %}
        {% do parts.append("coalesce(" ~ text ~ ", '~')") %}
    {% endfor %}
    {% do return("concat(" ~ parts | join(", '|', ") ~ ", '')") %}
{% endmacro %}


{% macro compared_checksum_sql(columns) %}
    {% do return(
        "cast(cast(conv(substr(md5(" ~ dms_snapshots.compared_row_sql(columns)
        ~ "), 1, 15), 16, 10) as bigint) as decimal(20, 0))"
    ) %}
{% endmacro %}


{% macro _double_text_sql(value) %}
    {% set exponent = "least(greatest(floor(ln(abs(" ~ value ~ ")) / 0.6931471805599453d + 1e-9d), -1022), 1023)" %}
    {% do return(
        "case when isnan(" ~ value ~ ") or abs(" ~ value ~ ") = double('Infinity') then cast(" ~ value ~ " as string)"
        ~ " when " ~ value ~ " = 0 then '0' when " ~ value ~ " is not null then concat(cast(cast(floor(" ~ value
        ~ " / power(2d, " ~ exponent ~ ") * 9007199254740992d) as bigint) as string), 'e', cast(" ~ exponent
        ~ " as string)) end"
    ) %}
{% endmacro %}


{% macro _decimal_text_sql(value, scale) %}
    {% set text = "cast(" ~ value ~ " as string)" %}
    {% if scale <= 6 %}{% do return(text) %}{% endif %}
    {#- Spark writes small ones with an exponent: `1.2E-7`, whose digits are all that the value has. -#}
    {% set digits = "regexp_replace(substring_index(" ~ text ~ ", 'E', 1), '[-.]', '')" %}
    {% do return(
        "case when contains(" ~ text ~ ", 'E') then concat(if(startswith(" ~ text ~ ", '-'), '-', ''), '0.', lpad("
        ~ digits ~ ", " ~ scale ~ ", '0')) else " ~ text ~ " end"
    ) %}
{% endmacro %}

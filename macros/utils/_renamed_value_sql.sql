{% macro _renamed_value_sql(declared, column, earlier, data_type) %}
    {#-
        The value of a renamed column in the type of now. One that would be another there, or none, is told and
        neither rounded nor NULL, whatever the session says of ANSI.
    -#}
    {% set value = sql_name(earlier) %}
    {% set now = "try_cast(" ~ value ~ " as " ~ column.data_type ~ ")" %}
    {% set is_same = "try_cast(" ~ now ~ " as " ~ data_type ~ ") <=> " ~ value
        ~ (" and is_valid_utf8(" ~ now ~ ") is not false" if data_type == "binary" and column.data_type | lower == "string") %}
    {% set told = declared.label ~ ": column " ~ column.name ~ " was " ~ earlier ~ ", of which this would not be the same as "
        ~ column.data_type ~ ": " %}
    {% set problem = "raise_error(concat(" ~ sql_string(told) ~ ", cast(" ~ value ~ " as string), "
        ~ sql_string(". Nothing was published. Declare it as " ~ data_type ~ " under another new name, with " ~ column.name ~ " in renamed_from too, and run with --full-refresh.") ~ "))" %}
    {% do return("if(" ~ is_same ~ ", " ~ now ~ ", " ~ problem ~ ")") %}
{% endmacro %}

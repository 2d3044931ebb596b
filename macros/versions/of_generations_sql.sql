{% macro of_generations_sql(column, generations) %}
    {% do return(
        column ~ " = " ~ generations[0] if generations | length == 1
        else column ~ " in (" ~ generations | join(", ") ~ ")"
    ) %}
{% endmacro %}


{% macro folder_number_sql(generation) %}
    {% do return("(" ~ generation ~ " - 1) div 100000") %}
{% endmacro %}

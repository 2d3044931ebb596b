{% macro _csv_problems(csv) %}
    {#- Signs that cannot be told apart would make other rows of the same bytes. -#}
    {% set problems = [] %}
    {% for first, second in [("delimiter", "row_delimiter"), ("delimiter", "quote"), ("row_delimiter", "quote")] %}
        {% if csv[first] | list | select("in", csv[second]) | list %}
            {% do problems.append(
                "csv." ~ first ~ " " ~ tojson(csv[first]) ~ " and csv." ~ second ~ " " ~ tojson(csv[second])
                ~ " share a character; they must be told apart"
            ) %}
        {% endif %}
    {% endfor %}
    {% if "\n" in csv.delimiter or "\r" in csv.delimiter %}
        {% do problems.append("csv.delimiter is " ~ tojson(csv.delimiter) ~ "; allowed is a text without line ends") %}
    {% endif %}
    {% if csv.row_delimiter[0] in csv.row_delimiter[1:] %}
        {% do problems.append("csv.row_delimiter is " ~ tojson(csv.row_delimiter) ~ "; allowed is a text whose first character does not come again") %}
    {% endif %}
    {% if csv.no_sup_value == csv.null_value %}
        {% do problems.append("csv.no_sup_value and csv.null_value are both " ~ tojson(csv.null_value) ~ "; unknown and NULL must be told apart") %}
    {% endif %}
    {% do return(problems) %}
{% endmacro %}

{% macro _setting_problems(declared) %}
    {#- Settings that contradict each other, and paths that no listing can read. -#}
    {% set problems, csv = [], declared.csv %}
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
        {% do problems.append(
            "csv.row_delimiter is " ~ tojson(csv.row_delimiter)
            ~ "; allowed is a text whose first character does not come again"
        ) %}
    {% endif %}
    {% if csv.no_sup_value == csv.null_value %}
        {% do problems.append(
            "csv.no_sup_value and csv.null_value are both " ~ tojson(csv.null_value)
            ~ "; unknown and NULL must be told apart"
        ) %}
    {% endif %}
    {% if csv.no_sup_value is not none and declared.image == "full" %}
        {% do problems.append(
            "csv.no_sup_value is set, but image is full; a column that may be unknown needs image: partial"
        ) %}
    {% endif %}
    {% if declared.image == "partial" and declared.before_image_prefix %}
        {% do problems.append(
            "image is partial, and before_image_prefix is set; allowed is one of them: a row that moves to another key "
            ~ "must be whole. Log all columns at the source, and remove image: partial"
        ) %}
    {% endif %}
    {% for key in ["image", "before_image_prefix"]
        if not declared.primary_keys and declared[key] not in [none, "full"] %}
        {% do problems.append(
            key ~ " is " ~ declared[key] ~ ", but primary_keys is []; only rows with a key are updated"
        ) %}
    {% endfor %}
    {% set prefix = declared.before_image_prefix %}
    {% set lowered = dict.fromkeys(declared.columns | map(attribute="name") | map("lower")) if prefix else {} %}
    {% for key in declared.primary_keys if prefix and (prefix ~ key) | lower in lowered %}
        {% do problems.append(
            "before_image_prefix is " ~ prefix ~ ", but " ~ prefix ~ key
            ~ " is a declared column; it can be only one of them. Set another prefix at the DMS task"
        ) %}
    {% endfor %}
    {% for key in ["path", "transaction_path"] if declared[key] and "://" in declared[key] %}
        {% if "//" in absolute_path(declared[key]).split("://", 1)[1] %}
            {% do problems.append(
                key ~ " is " ~ declared[key] ~ ", with a folder without a name (//); no listing finds files there. "
                ~ "Remove the second slash; if DMS writes there, rename the table or schema by a mapping rule"
            ) %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}

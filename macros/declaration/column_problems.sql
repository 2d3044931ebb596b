{% macro column_problems(declared) %}
    {% set problems = [] %}
    {% set names = declared.columns | map(attribute="name") | list %}
    {% set lowered = names | map("lower") | list %}
    {% if not names %}
        {% do problems.append("no columns are declared; list them with name and data_type") %}
    {% endif %}
    {% for column in declared.columns %}
        {% if not modules.re.match(supported_data_types(), column.data_type | default("", true) | lower) %}
            {% do problems.append(
                "column " ~ column.name ~ " has data_type " ~ tojson(column.data_type) ~ "; allowed are boolean, "
                ~ "tinyint, smallint, int, bigint, float, double, decimal(p,s), date, timestamp, timestamp_ntz, "
                ~ "string, binary"
                ~ ("; with a comma it needs quotes in braces: \"decimal(10,2)\"" if (column.data_type | string).startswith("decimal(") and ")" not in column.data_type | string)
            ) %}
        {% endif %}
        {% set digits = modules.re.findall("[0-9]+", column.data_type | default("", true)) | map("int") | list %}
        {% if digits | length == 2 and digits[1] > digits[0] %}
            {% do problems.append("column " ~ column.name ~ " has data_type " ~ column.data_type ~ "; allowed is decimal(p,s) with s up to p") %}
        {% endif %}
        {% if column.name | lower in ["snapshot_date", "dms_part"] or column.name.lower().startswith("_dms_") %}
            {% do problems.append("column " ~ column.name ~ " has a name that is kept for the snapshot's own columns") %}
        {% endif %}
        {% set written = _column_meta(column) %}
        {% if written is not none and (written is not mapping or written | reject("equalto", "renamed_from") | list) %}
            {% do problems.append("column " ~ column.name ~ " has meta.dms " ~ tojson(written) ~ "; allowed is a mapping with the key renamed_from") %}
        {% endif %}
        {% if not column.name | trim %}{% do problems.append("a column has an empty name") %}{% endif %}
        {% if lowered.count(column.name | lower) > 1 %}
            {% do problems.append("column " ~ column.name ~ " is declared twice (case does not tell names apart)") %}
        {% endif %}
    {% endfor %}
    {% for key in declared.primary_keys if key not in names %}
        {% do problems.append("primary_keys has " ~ key ~ ", which is no declared column; declared are " ~ names | join(", ")) %}
    {% endfor %}
    {% if declared.primary_keys | unique | list | length < declared.primary_keys | length %}
        {% do problems.append("primary_keys names a column twice: " ~ declared.primary_keys | join(", ")) %}
    {% endif %}
    {% set others = [declared.op_column, declared.timestamp_column, declared.change_seq_column] | select | map("lower") | list %}
    {% for name, earlier in renamed_columns(declared).items() %}
        {% if _allowed_value(earlier, {"kind": "texts"}) %}
            {% do problems.append("column " ~ name ~ " has renamed_from " ~ tojson(earlier) ~ "; allowed is a list of column names") %}
        {% else %}
            {% for other in earlier if other | lower in lowered %}
                {% do problems.append("column " ~ name ~ " has renamed_from " ~ other ~ ", which is also a declared column; it can be only one of them") %}
            {% endfor %}
            {% for other in earlier if other | lower not in lowered %}
                {% if other | lower in others %}
                    {% do problems.append("column " ~ name ~ " has renamed_from " ~ other ~ ", which is also another column; it can be only one of them") %}
                {% endif %}
                {% do others.append(other | lower) %}
            {% endfor %}
        {% endif %}
    {% endfor %}
    {% for key in ["op_column", "timestamp_column", "change_seq_column"] if declared[key] and declared[key] | lower in lowered %}
        {% do problems.append(key ~ " is " ~ declared[key] ~ ", which is also a declared column; it can be only one of them") %}
    {% endfor %}
    {% if declared.partition_date %}
        {% do problems.extend(_partition_problems(declared, lowered)) %}
    {% endif %}
    {% if declared.change_feed %}
        {% do problems.extend(feed_problems(declared)) %}
    {% endif %}
    {% for order, key in {"change_seq": "change_seq_column", "timestamp": "timestamp_column"}.items() %}
        {% if declared.order_by == order and not declared[key] %}
            {% do problems.append("order_by is " ~ order ~ ", which needs " ~ key) %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}

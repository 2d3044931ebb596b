{% macro column_problems(declared) %}
    {% set problems, names, counts = [], {}, {} %}
    {% for column in declared.columns %}
        {% do names.update({column.name: column}) %}
        {% do counts.update({column.name | lower: counts.get(column.name | lower, 0) + 1}) %}
    {% endfor %}
    {% if not names %}{% do problems.append("no columns are declared; list them with name and data_type") %}{% endif %}
    {% set data_types = (
        "^(boolean|tinyint|smallint|int|bigint|float|double|date|timestamp|string|binary"
        ~ "|decimal\\( *([1-9]|[12][0-9]|3[0-8]) *, *([0-9]|[12][0-9]|3[0-8]) *\\))$"
    ) %}
    {% for column in declared.columns %}
        {% set label, data_type = "column " ~ column.name, column.data_type | default("", true) %}
        {% if not modules.re.match(data_types, data_type | lower) %}
            {% do problems.append(
                label ~ " has data_type " ~ tojson(column.data_type) ~ "; allowed are boolean, tinyint, smallint, int, "
                ~ "bigint, float, double, decimal(p,s), date, timestamp, string, binary"
                ~ ("; a table with one can be read by Spark only. Declare timestamp, with the same values"
                    if data_type | lower == "timestamp_ntz")
                ~ ("; with a comma it needs quotes in braces: \"decimal(10,2)\""
                    if data_type.startswith("decimal(") and ")" not in data_type)
            ) %}
        {% endif %}
        {% set digits = modules.re.findall("[0-9]+", data_type) | map("int") | list %}
        {% if digits | length == 2 and digits[1] > digits[0] %}
            {% do problems.append(label ~ " has data_type " ~ data_type ~ "; allowed is decimal(p,s) with s up to p") %}
        {% endif %}
        {% if column.name | lower == "snapshot_date" or column.name.lower().startswith("_dms_") %}
            {% do problems.append(label ~ " has a name that is kept for the snapshot's own columns") %}
        {% endif %}
        {% set written = dms_snapshots._column_meta(column) %}
        {% if written is not none
            and (written is not mapping or written | reject("equalto", "renamed_from") | list) %}
            {% do problems.append(
                label ~ " has meta.dms " ~ tojson(written) ~ "; allowed is a mapping with the key renamed_from"
            ) %}
        {% endif %}
        {% if not column.name | trim %}{% do problems.append("a column has an empty name") %}{% endif %}
        {% if counts[column.name | lower] > 1 %}
            {% do problems.append(label ~ " is declared twice (case does not tell names apart)") %}
        {% endif %}
    {% endfor %}
    {% for key in declared.primary_keys if key not in names %}
        {% do problems.append(
            "primary_keys has " ~ key ~ ", which is no declared column; declared are " ~ names | join(", ")
        ) %}
    {% endfor %}
    {% if declared.primary_keys | unique | list | length < declared.primary_keys | length %}
        {% do problems.append("primary_keys names a column twice: " ~ declared.primary_keys | join(", ")) %}
    {% endif %}
    {% for key in ["trim", "lower", "unaccent"] %}
        {% for name in declared[key] or [] if names.get(name, {}).data_type | default("", true) | lower != "string" %}
            {% do problems.append(key ~ " has " ~ name ~ "; allowed are declared columns of data_type string") %}
        {% endfor %}
    {% endfor %}
    {% set others = dict.fromkeys(
        [declared.op_column, declared.timestamp_column, declared.change_seq_column] | select | map("lower")
    ) %}
    {% for name, earlier in dms_snapshots.renamed_columns(declared).items() %}
        {% if dms_snapshots._allowed_value(earlier, {"kind": "texts"}) %}
            {% do problems.append(
                "column " ~ name ~ " has renamed_from " ~ tojson(earlier) ~ "; allowed is a list of column names"
            ) %}
        {% else %}
            {% for other in earlier %}
                {% if other | lower in counts or other | lower in others %}
                    {% do problems.append(
                        "column " ~ name ~ " has renamed_from " ~ other ~ ", which is also "
                        ~ ("a declared" if other | lower in counts else "another")
                        ~ " column; it can be only one of them"
                    ) %}
                {% endif %}
                {% do others.update({other | lower: none}) %}
            {% endfor %}
        {% endif %}
    {% endfor %}
    {% for key in ["op_column", "timestamp_column", "change_seq_column"]
        if declared[key] and declared[key] | lower in counts %}
        {% do problems.append(
            key ~ " is " ~ declared[key] ~ ", which is also a declared column; it can be only one of them"
        ) %}
    {% endfor %}
    {% if declared.partition_date %}
        {% set column = names.get(declared.partition_date) %}
        {% if not column %}
            {% do problems.append("partition_date is " ~ declared.partition_date ~ ", which is no declared column") %}
        {% elif column.data_type | default("", true) | lower not in ["date", "timestamp"] %}
            {% do problems.append(
                "partition_date is " ~ column.name ~ " of data_type " ~ column.data_type
                ~ "; allowed is a column of date or timestamp"
            ) %}
        {% endif %}
        {% if "partition_date" in counts %}
            {% do problems.append(
                "column partition_date has the name of the partition that the key partition_date adds"
            ) %}
        {% endif %}
    {% endif %}
    {% if declared.change_feed %}{% do problems.extend(dms_snapshots.feed_problems(declared)) %}{% endif %}
    {% for order, key in {"change_seq": "change_seq_column", "timestamp": "timestamp_column"}.items() %}
        {% if declared.order_by == order and not declared[key] %}
            {% do problems.append("order_by is " ~ order ~ ", which needs " ~ key) %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}


{% macro feed_problems(declared) %}
    {% set names = (
        dms_snapshots.feed_columns(declared) + [dms_snapshots.feed_partition()]
    ) | map(attribute="name") | map("lower") | list %}
    {% set problems = [] %}
    {% for name in names | unique if names.count(name) > 1 %}
        {% do problems.append(
            "change_feed would give " ~ declared.table_name ~ "_changes the column " ~ name ~ " twice; "
            ~ "allowed are key columns that are not called kind, version, run_date, "
            ~ "or like another column with _before or _after behind it. "
            ~ "Name it differently (renamed_from), or leave change_feed out"
        ) %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}

{% macro list_partitions(relation, fixed={}) %}
    {% set clause = "partition (" ~ dms_snapshots.partition_spec(fixed) ~ ")" if fixed else "" %}
    {% set partitions = [] %}
    {% for row in run_query("show partitions " ~ relation ~ " " ~ clause).rows %}
        {% set spec = {} %}
        {% for part in row[0].split("/") %}
            {% do spec.update({part.split("=")[0]: part.split("=")[1]}) %}
        {% endfor %}
        {% do partitions.append(spec) %}
    {% endfor %}
    {% do return(partitions) %}
{% endmacro %}


{% macro add_partitions(relation, partitions) %}
    {% for some in partitions | batch(1000) %}
        {% set parts = [] %}
        {% for partition in some %}
            {% do parts.append(
                "partition (" ~ dms_snapshots.partition_spec(partition["values"]) ~ ") location "
                ~ dms_snapshots.sql_string(partition.location)
            ) %}
        {% endfor %}
        {% do run_query("alter table " ~ relation ~ " add if not exists " ~ parts | join(" ")) %}
    {% endfor %}
{% endmacro %}


{% macro add_new_partition(relation, values, location) %}
    {% set found = run_query(
        "begin declare exit handler for partitions_already_exist begin select 'there' as found; end; alter table "
        ~ relation ~ " add partition (" ~ dms_snapshots.partition_spec(values) ~ ") location "
        ~ dms_snapshots.sql_string(location) ~ "; end"
    ) %}
    {% do return(not (found.rows if found else [])) %}
{% endmacro %}


{% macro set_partition(relation, values, location) %}
    {% do run_query(dms_snapshots.set_partition_sql(relation, values, location)) %}
{% endmacro %}


{% macro set_partition_sql(relation, values, location) %}
    {% set table, partition = "alter table " ~ relation, " partition (" ~ dms_snapshots.partition_spec(values) ~ ")" %}
    {% set location = " location " ~ dms_snapshots.sql_string(location) %}
    {% do return(
        "begin declare exit handler for partitions_already_exist begin " ~ table ~ partition ~ " set" ~ location
        ~ "; end; " ~ table ~ " add" ~ partition ~ location ~ "; end"
    ) %}
{% endmacro %}


{% macro move_partition_sql(relation, values, location) %}
    {% do return(
        "alter table " ~ relation ~ " partition (" ~ dms_snapshots.partition_spec(values) ~ ") set location "
        ~ dms_snapshots.sql_string(location)
    ) %}
{% endmacro %}


{% macro drop_partitions(relation, partitions) %}
    {% for some in partitions | batch(1000) %}
        {% do run_query(dms_snapshots.drop_partitions_sql(relation, some)) %}
    {% endfor %}
{% endmacro %}


{% macro drop_partitions_sql(relation, partitions) %}
    {% set parts = [] %}
    {% for values in partitions %}
        {% do parts.append("partition (" ~ dms_snapshots.partition_spec(values) ~ ")") %}
    {% endfor %}
    {% do return("alter table " ~ relation ~ " drop if exists " ~ parts | join(", ")) %}
{% endmacro %}


{% macro run_statements(statements) %}
    {% for some in statements | batch(100) %}
        {% do run_query(some[0] if some | length == 1 else "begin " ~ some | join("; ") ~ "; end") %}
    {% endfor %}
{% endmacro %}


{% macro partition_spec(values) %}
    {% set parts, of_null = [], "__HIVE_DEFAULT_PARTITION__" %}
    {% for name, value in values.items() %}
        {% do parts.append(
            dms_snapshots.sql_name(name) ~ " = " ~ ("null" if value == of_null else dms_snapshots.sql_string(value))
        ) %}
    {% endfor %}
    {% do return(parts | join(", ")) %}
{% endmacro %}


{% macro partition_location(relation, values) %}
    {% do return(
        dms_snapshots.described_table(relation ~ " partition (" ~ dms_snapshots.partition_spec(values) ~ ")").location
    ) %}
{% endmacro %}

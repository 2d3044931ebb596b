{% macro show_rejects(declared, location, reject_count) %}
    {#- The rejects of this run take the place of those that an earlier try at its date left. -#}
    {% set partition = table_partition(declared, run_date()) %}
    {% if reject_count %}
        {% do point_partition(ref("dms_rejects"), partition, location) %}
        {% do warn_of_table(
            declared,
            reject_count ~ " rows cannot be taken and are in dms_rejects, with the reason, the file and the row",
            "Mend the cause and run the same command again."
        ) %}
    {% elif declared.on_bad_row == "quarantine" %}
        {% do run_query("alter table " ~ ref("dms_rejects") ~ " drop if exists partition (" ~ partition_spec(partition) ~ ")") %}
    {% endif %}
{% endmacro %}

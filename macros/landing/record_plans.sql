{% macro plans_of_rows(tables, rows) %}
    {% set by_label, plans = {}, {} %}
    {% for row in rows if row.label %}{% do by_label.update({row.label: fromjson(row.plan)}) %}{% endfor %}
    {% for declared in tables %}
        {% do plans.update({declared.label: dms_snapshots.complete_plan(declared, by_label[declared.label])}) %}
    {% endfor %}
    {% do return(plans) %}
{% endmacro %}


{% macro record_plans(tables, rows) %}
    {% set readable, changed = dms_snapshots.readable_tables(tables), [] %}
    {% set plans = dms_snapshots.plans_of_rows(readable, rows) %}
    {% for declared in tables if declared not in readable %}
        {% do plans.update({declared.label: {"error": dms_snapshots.index_node().versions[declared.label].error}}) %}
    {% endfor %}
    {% for declared in readable %}
        {% set plan = plans[declared.label] %}
        {% if not plan.error and (plan.action != "none" or not plan.is_published) %}
            {% do changed.append([declared, plan]) %}
        {% endif %}
    {% endfor %}
    {% do dms_snapshots.index_node().update(
        {"plans": plans, "whole_versions": dms_snapshots.read_whole_versions(changed)}
    ) %}
{% endmacro %}


{% macro add_indexed_files(relation, before, added) %}
    {% set values = {"run_date": dms_snapshots.run_date(), "version": dms_snapshots.run_name()} %}
    {% do dms_snapshots.add_partitions(
        relation,
        [{"values": values, "location": dms_snapshots.log_location("dms_files") ~ "/" ~ values.values() | join("/")}]
    ) %}
    {% set after = dms_snapshots.list_partitions(relation) %}
    {#- A run that started later may have taken the files that this one showed: they stay, and this run fails. -#}
    {% do dms_snapshots.check_later_addition(relation, after) %}
    {% if after | reject("in", before) | list != [values] %}
        {% do dms_snapshots.drop_partitions(relation, [values]) %}
        {% do return(false) %}
    {% endif %}
    {% if added.replaced %}{% do dms_snapshots.drop_partitions(relation, before) %}{% endif %}
    {% do return(true) %}
{% endmacro %}


{% macro check_later_addition(relation, partitions) %}
    {% for partition in partitions if partition.version > dms_snapshots.run_name() %}
        {% do dms_snapshots.fail(
            "E401",
            none,
            relation ~ ": a run that started later than this one has added to it, " ~ partition.version
            ~ " after " ~ dms_snapshots.run_name(),
            "Nothing was published.",
            "Run the same command again. "
            ~ "If no other was at work, the clocks of two machines differ: wait until this one shows the later time."
        ) %}
    {% endfor %}
{% endmacro %}

{% macro check_version(relation, declared, plan, job, version) %}
    {% set found = dms_snapshots.count_sum(version.counts, "rows_found") %}
    {#- Their names are those of the manifest: the copying has compared them. -#}
    {% if job.action == "merge" %}{% do dms_snapshots.check_rows_of_files(declared, job.base, found) %}{% endif %}
    {% set counted = version.partitions | sum(attribute="rows") %}
    {% if counted != version.rows_after or version.rows_inserted < 0 %}
        {% do dms_snapshots.fail(
            "E506",
            declared.label,
            "the new version has " ~ counted ~ " rows, but " ~ version.rows_before ~ " before + "
            ~ version.rows_inserted ~ " inserted - " ~ version.rows_deleted ~ " deleted = " ~ version.rows_after,
            none,
            "Most likely the published snapshot has a key twice: dbt test --select " ~ relation.identifier
            ~ dms_snapshots.given_target() ~ " --vars '{test_again: true}'. Build the table again: "
            ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
        ) %}
    {% endif %}
    {% do dms_snapshots._check_deletes(declared, plan, job, version) %}
    {% do dms_snapshots.check_reinserts(declared, plan, job, version) %}
    {% set rows_before = plan.current.rows_after if plan.current else 0 %}
    {% if rows_before and job.has_load and not job.load_rows and not version.rows_after %}
        {% do dms_snapshots._warn_of_empty_load(declared, rows_before) %}
    {% endif %}
    {% set growth = 365 * version.partitions | length %}
    {% if declared.history and growth > 100000 %}
        {% do dms_snapshots.warn_of_table(
            declared,
            "a date has " ~ version.partitions | length ~ " partitions, so " ~ relation.identifier ~ " gets "
            ~ growth ~ " a year",
            "Such a table is slow to plan queries on. A larger partition_granularity makes fewer, history: false none."
        ) %}
    {% endif %}
    {% do dms_snapshots.check_reload(relation, declared, plan, version) %}
    {% do dms_snapshots.check_shards(declared, job, version) %}
    {% do dms_snapshots.warn_of_key_forms(declared, job, version) %}
    {% do dms_snapshots.check_gates(relation, declared, plan, version) %}
{% endmacro %}


{% macro _check_deletes(declared, plan, job, version) %}
    {% if declared.max_delete_fraction is none or not plan.current or dms_snapshots.passes_once(
        declared, "allow_deletes"
    ) %}
        {% do return(none) %}
    {% endif %}
    {#- What a build replaces is counted by how much smaller the table gets. -#}
    {% set rows_before = version.rows_before if job.base else plan.current.rows_after %}
    {% set lost = version.rows_deleted if job.action == "merge" else rows_before - version.rows_after %}
    {% if lost > declared.max_delete_fraction * rows_before %}
        {% set keys = dms_snapshots.query_rows(
            "select " ~ dms_snapshots.column_names(declared.primary_keys) ~ " from parquet."
            ~ dms_snapshots.sql_name(version.changes)
            ~ " where _dms_op = 'D' limit 5"
        ) if job.action == "merge" else [] %}
        {% do dms_snapshots.fail(
            "E501",
            declared.label,
            lost ~ " of " ~ rows_before ~ " rows would be deleted, more than max_delete_fraction "
            ~ declared.max_delete_fraction ~ (", for instance " ~ keys | map("tojson") | join(", ") if keys else ""),
            none,
            "If that is right, let it pass once: " ~ dms_snapshots.pass_command(declared, plan, "allow_deletes")
        ) %}
    {% endif %}
{% endmacro %}


{% macro check_gates(relation, declared, plan, version) %}
    {% set found = [] %}
    {% for node in graph.nodes.values()
        if node.resource_type == "test" and node.config.meta.get("gate") and node.attached_node %}
        {% set tested = graph.nodes[node.attached_node] %}
        {% if tested.alias == relation.identifier and tested.schema == relation.schema %}
            {% do found.append(node) %}
        {% endif %}
    {% endfor %}
    {% set gates = found | sort(attribute="name") %}
    {% if not (gates or declared.gates) or dms_snapshots.passes_once(declared, "allow_gates") %}
        {% do return(none) %}
    {% endif %}
    {% set made = gates | map(attribute="test_metadata.name") | list %}
    {% set names = [] %}
    {% for gate in declared.gates %}{% do names.append((gate | first).split(".") | last) %}{% endfor %}
    {% for name in names | unique if made.count(name) < names.count(name) %}
        {% do dms_snapshots.fail(
            "E114",
            declared.label,
            "the declaration has the gate " ~ name ~ ", and " ~ relation.identifier
            ~ " has no such data test with meta: {gate: true} (or fewer than are declared)",
            none,
            "Make it: dms-snapshots scaffold. Then run the same command again."
        ) %}
    {% endfor %}
    {% for gate in gates %}{% do dms_snapshots.check_gate_settings(declared, gate) %}{% endfor %}
    {% set view = dms_snapshots.create_new_version_view(relation, declared, version) %}
    {% set failed = [] %}
    {% for gate in gates %}
        {% set sql = dms_snapshots.gate_sql(declared, gate, view) %}
        {% set count = dms_snapshots.query_rows("select count(*) as row_count from (" ~ sql ~ ")")[0].row_count %}
        {% if count %}
            {% do failed.append(
                gate.name ~ ": " ~ count ~ " rows, for instance "
                ~ dms_snapshots.failing_rows(declared, gate, view, sql)
            ) %}
        {% endif %}
    {% endfor %}
    {% if failed %}
        {% do dms_snapshots.fail(
            "E503",
            declared.label,
            "the new version fails " ~ failed | length ~ " of " ~ gates | length ~ " gates:\n  "
            ~ failed | join("\n  ") ~ "\n",
            none,
            "Correct the source and run the same command again, or let it pass once: "
            ~ dms_snapshots.pass_command(declared, plan, "allow_gates")
        ) %}
    {% endif %}
{% endmacro %}


{% macro check_gate_settings(declared, gate) %}
    {% set looser, usual = [], {"severity": "error", "error_if": "!=0", "warn_if": "!=0", "fail_calc": "count(*)"} %}
    {% for key, value in usual.items() if gate.config.get(key, value) | lower | replace(" ", "") != value %}
        {% do looser.append(key ~ ": " ~ gate.config[key]) %}
    {% endfor %}
    {% if looser %}
        {% do dms_snapshots.fail(
            "E504",
            declared.label,
            "gate " ~ gate.name ~ " sets " ~ looser | join(", ") ~ "; a gate stops a version if it finds a row",
            none,
            "Remove these settings, also where dbt_project.yml has them for it; or take meta.gate away from it, and "
            ~ "dbt test runs it by them."
        ) %}
    {% endif %}
{% endmacro %}


{% macro create_new_version_view(relation, declared, version) %}
    {% set view = dms_snapshots.sql_name(relation.identifier ~ "__new") %}
    {% set rows = relation.identifier ~ "__new_rows" %}
    {% do dms_snapshots.create_rows_view(rows, declared, version.root, version.partitions) %}
    {% do run_query(
        "create or replace temporary view " ~ view ~ " as select *"
        ~ (", date'" ~ version.run_date ~ "' as snapshot_date" if declared.history else "")
        ~ (", " ~ dms_snapshots.partition_sql(declared) ~ " as partition_date" if declared.partition_date else "")
        ~ " from " ~ dms_snapshots.sql_name(rows)
    ) %}
    {% do return(view) %}
{% endmacro %}


{% macro failing_rows(declared, gate, view, sql) %}
    {% set rows = dms_snapshots.query_rows("select * from (" ~ sql ~ ") limit 5") %}
    {% if declared.primary_keys and gate.test_metadata.name in ["not_null", "unique", "accepted_values"] %}
        {% set rows = dms_snapshots.query_rows(
            "select " ~ dms_snapshots.column_names(declared.primary_keys + [gate.test_metadata.kwargs.column_name])
            ~ " from " ~ view ~ " as new_version left semi join (" ~ sql ~ ") as failing"
            ~ " on new_version." ~ dms_snapshots.sql_name(gate.test_metadata.kwargs.column_name)
            ~ " <=> failing." ~ dms_snapshots.sql_name(rows[0].keys() | first) ~ " limit 5"
        ) %}
    {% endif %}
    {% do return(rows | map("tojson") | join(", ")) %}
{% endmacro %}


{% macro gate_sql(declared, gate, view) %}
    {% set test = gate.test_metadata %}
    {% set test_macro = dms_snapshots.find_test((test.namespace ~ "." if test.namespace) ~ test.name) %}
    {% if not test_macro %}
        {% do dms_snapshots.fail(
            "E504",
            declared.label,
            "gate " ~ gate.name ~ ": there is no data test " ~ test.name,
            none,
            "Correct its name in the declaration (gates), then: dms-snapshots scaffold"
        ) %}
    {% endif %}
    {% set arguments = {} %}
    {% for name, value in test.kwargs.items() if name != "model" %}
        {% if value is string and ("{{" in value or value.startswith("ref(") or value.startswith("source(")) %}
            {% do dms_snapshots.fail(
                "E504",
                declared.label,
                gate.name ~ " looks at another table (" ~ name ~ ": " ~ value
                ~ "), which a gate cannot, because it runs before that is built",
                none,
                "Take meta.gate away from it; dbt test runs it after."
            ) %}
        {% endif %}
        {% do arguments.update({name: value}) %}
    {% endfor %}
    {% set where = gate.config.where %}
    {% do return(test_macro(
        "(select * from " ~ view ~ " where " ~ where ~ ") as new_version" if where else view, **arguments
    )) %}
{% endmacro %}


{% macro pass_command(declared, plan, gate) %}
    {% if invocation_args_dict.which == "run-operation" %}
        {% do return(
            "dbt run-operation " ~ invocation_args_dict.macro ~ dms_snapshots.given_target()
            ~ " --args '" ~ tojson(invocation_args_dict.args)
            ~ "' --vars '{" ~ gate ~ ": [" ~ declared.label ~ "]}'"
        ) %}
    {% endif %}
    {% do return(
        dms_snapshots.run_command(declared.table_name, plan.full_refresh, gate ~ ": [" ~ declared.label ~ "]")
    ) %}
{% endmacro %}


{% macro log_run_summary(results) %}
    {% set tables, warnings, others = {}, [], {} %}
    {% for result in results if execute %}
        {% set node = result.node %}
        {% if node.resource_type == "model" and node.config.materialized in ["dms_staging", "dms_snapshot"] %}
            {% set table = node.config.meta.dms %}
            {% set label = table.source_name ~ "." ~ table.table_name %}
            {% set state = dms_snapshots._table_state(result) %}
            {% for warning in (result.message or "").split("; warning: ")[1:] if result.status == "success" %}
                {% do warnings.append("warning  " ~ label ~ ": " ~ warning) %}
            {% endfor %}
            {#- Staging comes first in the results; if it fails, that is what to tell. -#}
            {% if tables.get(label, {}).get("state") != "failed" %}
                {% do tables.update({label: {"state": state, "about": dms_snapshots._table_about(result, state)}}) %}
            {% endif %}
        {% elif dms_snapshots._table_state(result) == "failed" and dms_snapshots.is_ours(node) %}
            {% do others.update({
                node.name: {"state": "failed", "about": dms_snapshots._table_about(result, "failed")}
            }) %}
        {% endif %}
    {% endfor %}
    {% if not tables %}{% do return("") %}{% endif %}
    {% for label in dms_snapshots.hidden_labels() if label in tables %}
        {% do tables[label].update({
            "state": "failed",
            "about": "readers do not see this date: another command has published a newer version meanwhile",
        }) %}
    {% endfor %}
    {% for source in graph.sources.values() if source.config.meta.dms %}
        {% if "model." ~ source.package_name ~ ".stg_" ~ source.source_name ~ "__" ~ source.name not in graph.nodes %}
            {% do warnings.append(
                "warning  " ~ source.source_name ~ "." ~ source.name
                ~ ": it is declared and has no models, so no run takes it. "
                ~ "Make them: dms-snapshots scaffold"
            ) %}
        {% endif %}
    {% endfor %}
    {#- The index and the logs, histories, tests. -#}
    {% do tables.update(others) %}

    {% do log("", info=true) %}
    {% set lines = {"failed": [], "skipped": [], "warning": warnings | sort, "published": [], "staged": []} %}
    {% for label, table in tables | dictsort if table.state in lines %}
        {% do lines[table.state].append(table.state ~ "  " ~ label ~ ": " ~ table.about.removeprefix(label ~ ": ")) %}
    {% endfor %}
    {% for line in lines.values() | sum(start=[]) %}{% do log(line, info=true) %}{% endfor %}
    {% set counts = [] %}
    {% for state in ["failed", "skipped", "published", "staged", "unchanged", "not active"] %}
        {% set count = tables.values() | selectattr("state", "equalto", state) | list | length %}
        {% if count %}{% do counts.append(count ~ " " ~ state) %}{% endif %}
    {% endfor %}
    {% if warnings %}{% do counts.append("warnings: " ~ warnings | length) %}{% endif %}
    {% do log("Tables of " ~ dms_snapshots.run_date() ~ ": " ~ counts | join(", ") ~ ".", info=true) %}
    {% if tables.values() | selectattr("state", "in", ["failed", "skipped"]) | list %}
        {% do log(
            "What failed keeps its last published state. Do what its message says, then run the same command again. "
            ~ "dbt retry is enough if no file and no declaration changed.",
            info=true
        ) %}
    {% endif %}
    {% do log("As a page and as JSON: dms-snapshots report", info=true) %}
    {% do return("") %}
{% endmacro %}


{% macro _table_about(result, state) %}
    {% if state == "skipped" %}
        {% do return("what it depends on failed") %}
    {% elif state != "failed" %}
        {% do return(result.message.split("; warning: ")[0]) %}
    {% endif %}
    {% set said = [] %}
    {% for line in (result.message or "").splitlines() | map("trim") if line and said | length < 2 %}
        {#- dbt's own headlines tell no reason. -#}
        {% if not modules.re.match("^[A-Za-z]+ Error( in .*)?$", line) and not (said and not said[0].endswith(":")) %}
            {% do said.append(line) %}
        {% endif %}
    {% endfor %}
    {% do return(said | join(" ")) %}
{% endmacro %}


{% macro _table_state(result) %}
    {% if result.status == "skipped" %}
        {% do return("skipped") %}
    {% elif result.status in ["error", "fail", "runtime error", "partial success"] %}
        {% do return("failed") %}
    {% elif result.message == "not active" %}
        {% do return("not active") %}
    {% elif result.node.config.materialized != "dms_snapshot" %}
        {#- If the snapshot was run too, its result comes later and counts. -#}
        {% do return("staged") %}
    {% endif %}
    {% do return("unchanged" if result.message.startswith("unchanged") else "published") %}
{% endmacro %}

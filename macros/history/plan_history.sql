{% macro plan_history(relation, declared) %}
    {% set dates = dms_snapshots.closed_dates(relation) %}
    {% set known = dms_snapshots.versions_of(declared, {"lineage": true}, recorded=true) %}
    {% do dms_snapshots.check_published(declared, known) %}
    {% if not known.newest or dates and dms_snapshots.closed_partition(relation, dates[0]).version == known.newest %}
        {% do return({"action": "none"}) %}
    {% endif %}
    {% set line = dms_snapshots.published_lineage(known) %}
    {% set base = dms_snapshots._history_base(relation, dates, line) %}
    {% set runs = dms_snapshots.history_runs(line, base) %}
    {% set stale = dates | select("gt", base.run_date if base else "") | list %}
    {#- A command that died may have shown the open rows of a version that was undone since, and nothing else of it. -#}
    {% set is_stale = base and not runs and (stale or base.open != dms_snapshots.partition_location(
        relation, {dms_snapshots.closed_on_column().name: dms_snapshots.open_date()}
    )) %}
    {% do return({
        "action": "write" if runs else ("restore" if is_stale else "none"),
        "base": base,
        "newest": known.newest,
        "newest_closed": dms_snapshots.closed_partition(relation, dates[0]).closed if dates else none,
        "runs": runs,
        "stale": stale,
    }) %}
{% endmacro %}


{% macro _history_base(relation, dates, line) %}
    {% for date in dates %}
        {% set partition = dms_snapshots.closed_partition(relation, date) %}
        {% for version in line if version.version == partition.version %}
            {% for name in ["generation", "shards", "last_file_seq"] %}
                {% do partition.update({name: version[name]}) %}
            {% endfor %}
            {% do return(partition) %}
        {% endfor %}
        {% for version in (line[0].replaced if line else [])
            if version.version == partition.version and date < line[0].run_date %}
            {% do return(dict(partition, last_date=dms_snapshots._last_date_taken(line[0], version))) %}
        {% endfor %}
    {% endfor %}
    {% do return(none) %}
{% endmacro %}


{% macro _last_date_taken(refresh, version) %}
    {% set dates = [] %}
    {% for row in refresh.replaced[refresh.replaced.index(version):] %}
        {% if row.version != version.version and row.action != "alter"
            and dms_snapshots.live_generations(row) == dms_snapshots.live_generations(refresh) %}
            {% break %}
        {% endif %}
        {% do dates.extend(row.dates) %}
    {% endfor %}
    {% do return(dates | select("lt", refresh.run_date) | max) %}
{% endmacro %}


{% macro check_published(declared, known) %}
    {% set index, published, newest = dms_snapshots.index_node(), [], known.newest %}
    {% for name in ["made", "finished"] %}{% do published.append(index.get(name, {}).get(declared.label)) %}{% endfor %}
    {% if newest and newest not in published and newest not in known.recorded %}
        {% do dms_snapshots.fail(
            "E408",
            declared.label,
            "version " ~ newest ~ " was committed, and the command that made it has not published all of it",
            "Nothing of " ~ model.name ~ " was changed.",
            "If that command is not at work any more, run dbt run, which finishes it. Then dbt snapshot."
        ) %}
    {% endif %}
{% endmacro %}


{% macro history_runs(line, base) %}
    {% set runs = [] %}
    {#- Of each of several folders a run stages what is of its newest full load, and nothing else. -#}
    {% for version in line if version.action != "alter" and (not base or version.run_date > base.run_date) %}
        {% set before = line[line.index(version) - 1] if version != line[0] else none %}
        {% set date_before = before.dates | max if before else (base.last_date if base else none) %}
        {% do runs.append({
            "version": version.version,
            "run_date": version.run_date,
            "starts_at":
                modules.datetime.datetime.strptime(date_before, "%Y-%m-%d") + modules.datetime.timedelta(days=1)
                if date_before else none,
            "generation": version.generation,
            "oldest_generation": 1 if version.shards else (before.generation if before else version.generation),
            "reloads": dms_snapshots._reloads(version, before) if date_before is not none else [],
            "file_count": version.file_count,
        }) %}
    {% endfor %}
    {% do return(runs) %}
{% endmacro %}


{% macro _reloads(version, before) %}
    {% set generations = dms_snapshots.live_generations(version) %}
    {% if not before or not version.shards %}
        {% set is_reload = not before or version.generation > before.generation %}
        {% do return(
            [{"generation": generations | min, "generations": generations, "shard": none}] if is_reload else []
        ) %}
    {% endif %}
    {% set were, reloads = {}, [] %}
    {% for shard in before.shards or [] %}{% do were.update({shard.name: shard.generation}) %}{% endfor %}
    {% for shard in version.shards if shard.name in were and shard.generation > were[shard.name] %}
        {% do reloads.append(
            {"generation": shard.generation, "generations": [shard.generation], "shard": shard.name}
        ) %}
    {% endfor %}
    {% do return(reloads) %}
{% endmacro %}


{% macro published_lineage(known) %}
    {% set rows = {} %}
    {% for row in known.lineage %}
        {% do rows.update({row.version: dict(row, dates=[row.run_date], replaced=[])}) %}
    {% endfor %}
    {% for version, of_version in known.recorded.items() if version in rows and of_version.dates %}
        {% do rows[dms_snapshots.origin_version(rows, version)].dates.extend(of_version.dates) %}
    {% endfor %}
    {% set line, replaced = [], [] %}
    {% set next = namespace(version=known.newest, is_replaced=false) %}
    {% for _ in rows %}
        {% set row = rows.get(next.version) %}
        {% if row and row.current_version != row.version %}
            {% set next.version = row.current_version %}
        {% elif row and row.restored_version is not none %}
            {% set next.version = row.restored_version %}
        {% elif row %}
            {% do (replaced if next.is_replaced else line).insert(0, row) %}
            {% set next.is_replaced = next.is_replaced or row.base_version is none %}
            {% set next.version = row.version - 1 if row.base_version is none else row.base_version %}
        {% endif %}
    {% endfor %}
    {% if line %}{% do line[0].update({"replaced": replaced}) %}{% endif %}
    {% do return(line) %}
{% endmacro %}

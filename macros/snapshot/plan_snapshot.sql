{% macro plan_snapshot(relation, declared) %}
    {#-
        What this run has to do, from the metastore, the ledger and the log of staged files; only a command
        that does not stage the table asks the index too:
        carry (nothing new: the base's slices again), merge (changes on the base), or
        build (a new full load, the first version, or --full-refresh).
    -#}
    {% set plan = table_state(relation, declared) %}
    {#- Somebody has published, or rolled back, since this command staged. -#}
    {% if staging_node(declared).get("staged_on", plan.newest) != plan.newest %}{% do refuse_second_writer(declared, plan.newest) %}{% endif %}
    {% set base = base_version(declared, plan.head) %}
    {% set is_staged = staged_file_count(declared) is not none %}
    {#- What staging refuses is not published by a command that goes on without it; what it warns of, is told again. -#}
    {% if not is_staged %}
        {% do pending_files(table_files_sql(declared.source_name, declared.table_name), declared, base, plan.head) %}
    {% endif %}
    {% if not plan.head or plan.head.run_date < run_date() %}{% do refuse_unlisted_date(declared, is_staged) %}{% endif %}
    {% set is_unchanged = base and staged_file_count(declared) == 0 %}
    {% set found = [] if is_unchanged else query_rows(staged_files_sql(declared, base)) | sort(attribute="generation") %}
    {% set own = [] %}
    {% for one in found if one.staged_in.endswith("/" ~ run_version()) %}{% do own.append(one) %}{% endfor %}
    {% if not own %}{% do refuse_unstaged_files(declared, base, plan.head) %}{% endif %}
    {#- The last is of the newest generation. -#}
    {% set staged = found | selectattr("is_on_base") | list | last %}
    {% if not staged %}
        {% set action = "carry" if base else "build" %}
    {% else %}
        {% set action = "merge" if base and base.generation == staged.generation else "build" %}
    {% endif %}
    {% if staged and not own %}{% do refuse_older_staging(declared, base, plan.head) %}{% endif %}
    {% if staged and action == "build" %}
        {% do refuse_withheld_load(declared, base, plan.head, staged) %}
    {% endif %}
    {% if staged and (action == "build" or has_no_files(base)) %}
        {% set is_first_load = staged.generation == 1 and not (plan.head and plan.head.withheld_count) %}
        {#- Readers have this full load already, perhaps without its first file, which was archived before. -#}
        {% set goes_on = plan.head and not has_no_files(plan.head) and plan.head.generation == staged.generation %}
        {% if not is_first_load and not goes_on %}
            {% do refuse_partial_load(declared, plan.head, staged) %}
            {% do refuse_load_without_its_first_file(declared, staged) %}
        {% endif %}
    {% endif %}
    {% set is_late = action == "merge" and (
        declared.order_by != "file" or staged.first_file_seq <= base.last_file_seq
    ) %}
    {% do plan.update({
        "run_date": run_date(),
        "base": base,
        "staged": staged or {"generation": 1, "load_rows": 0, "last_file_seq": 0},
        "is_late": is_late,
        "taken": none,
        "applied": none,
        "line": none,
    }) %}
    {% set rebuilds = is_late and rebuilds_from_staging(declared, plan) %}
    {% do plan.update({"action": "build" if rebuilds else action, "rebuilds": rebuilds}) %}
    {% if base and (action != "build" or rebuilds) %}{% do refuse_other_declaration(declared, base) %}{% endif %}
    {% do return(plan) %}
{% endmacro %}

{% macro backfill(select=none, from_date=none, to_date=none, dry_run=true) %}
    {#- Makes a snapshot for each date of a range (both ends included) that has none. -#}
    {% for value, name in [(from_date, "from_date"), (to_date, "to_date")] if not is_date(value | string) %}
        {% do exceptions.raise_compiler_error(name ~ " is " ~ value ~ "; allowed is a date as YYYY-MM-DD. Nothing was changed.") %}
    {% endfor %}
    {% if from_date | string > to_date | string %}
        {% do exceptions.raise_compiler_error("from_date " ~ from_date ~ " is after to_date " ~ to_date ~ ". Nothing was changed.") %}
    {% endif %}
    {% set tables = _selected_tables(select) %}
    {#- Of all tables first, so that one that has no dates leaves the others as they were. -#}
    {% set work = [] %}
    {% for table in tables %}
        {% set state = _published_state(table, dry_run, tables | length == 1) %}
        {% if state %}
            {% set missing = _missing_dates(table.declared, state, from_date | string, to_date | string) %}
            {% if missing %}
                {% do check_declared_since(table.declared, state.whole.current, "build_on") %}
                {% if not dry_run %}{% do sync_columns(staging_relation(table.declared), table.declared.columns, table.declared.label) %}{% endif %}
            {% endif %}
            {% do work.append({"table": table, "state": state, "missing": missing}) %}
        {% endif %}
    {% endfor %}
    {% for one in work %}
        {% if not one.missing %}
            {% do print(one.table.declared.label ~ ": no date is missing") %}
        {% elif dry_run %}
            {% do print(one.table.declared.label ~ ": would make the snapshots of " ~ one.missing | join(", ")) %}
        {% else %}
            {% set now = namespace(state=one.state) %}
            {% for date in one.missing %}{% set now.state = _backfill_date(one.table, now.state, date) %}{% endfor %}
        {% endif %}
    {% endfor %}
    {% do _next_command("backfill", {"select": select, "from_date": from_date, "to_date": to_date}, dry_run,
        "dbt test; dbt run-operation rollback takes the last of these dates away again") %}
{% endmacro %}

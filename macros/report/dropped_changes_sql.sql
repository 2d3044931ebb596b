{% macro dropped_changes_sql() %}
    {% set is_asked = execute and invocation_args_dict.which in ["test", "build"] %}
    {% set rows = dms_snapshots._read_control_tables() if is_asked else [] %}
    {% if not rows %}{% do return(dms_snapshots.no_failing_rows_sql()) %}{% endif %}
    {% set found, columns = [], rows[0].keys() | list %}
    {% for row in rows %}
        {% set values = [] %}
        {% for column in columns %}{% do values.append(dms_snapshots.sql_string(row[column])) %}{% endfor %}
        {% do found.append("(" ~ values | join(", ") ~ ")") %}
    {% endfor %}
    {% set of_tables = {} %}
    {% for row in rows %}
        {% do of_tables.setdefault((row.table_owner ~ "." ~ row.table_name, row.control_table), []).append(row) %}
    {% endfor %}
    {% for (label, control_table), of_table in of_tables.items() %}
        {% set row = of_table[0] %}
        {% do exceptions.warn(
            label ~ ": DMS has " ~ of_table | length ~ " rows in " ~ control_table ~ ", for instance of "
            ~ (row.error_time or "a time that it does not say") ~ ": " ~ (row.error or "no reason")[:300]
            ~ (" in " ~ row.statement[:300] if row.statement else "")
            ~ ". Changes are missing here. Look at the task " ~ row.task_name ~ ", and let it load the table again."
        ) %}
    {% endfor %}
    {% do return("select * from values " ~ found | join(", ") ~ " as dropped (" ~ columns | join(", ") ~ ")") %}
{% endmacro %}


{% macro _read_control_tables() %}
    {% set given, folders = var("dms_control_tables"), [] %}
    {% for folder in ([given] if given is string else given) %}
        {% do folders.append(dms_snapshots.absolute_path(folder)) %}
    {% endfor %}
    {% set first_day = modules.datetime.date.fromisoformat(dms_snapshots.run_date())
        - modules.datetime.timedelta(days=var("dms_control_days", 7)) %}
    {% set job = {"folders": folders, "since": first_day | string} %}
    {% do run_query(
        "create or replace temporary view dms_control (control_table string, task_name string, table_owner string,"
        ~ " table_name string, error_time string, statement string, error string, path string)"
        ~ " using dms_control options (job " ~ dms_snapshots.sql_string(tojson(job)) ~ ")"
    ) %}
    {#- More rows, and more of a text, say nothing more. -#}
    {% do return(dms_snapshots.query_rows(
        "select * except (statement, error), left(statement, 1000) as statement, left(error, 1000) as error"
        ~ " from dms_control limit 1000"
    )) %}
{% endmacro %}

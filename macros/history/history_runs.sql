{% macro history_runs(line, base) %}
    {#-
        The published runs that brought changes since the base, oldest first. Each has a window,
        from the end of the run before it to the end of its own date: no change is told to be older
        than a state that readers have seen without it, or newer than one that they see with it.
    -#}
    {% set runs = [] %}
    {% for version in line if version.action != "alter" and (not base or version.run_date > base.run_date) %}
        {% set before = line[line.index(version) - 1] if version != line[0] else none %}
        {% set date_before = before.last_date if before else (line[0].date_before if base else none) %}
        {% do runs.append({
            "version": version.version,
            "run_date": version.run_date,
            "starts_at": modules.datetime.datetime.strptime(date_before, "%Y-%m-%d") + modules.datetime.timedelta(days=1) if date_before else none,
            "generation": version.generation,
            "oldest_generation": before.generation if before else version.generation,
            "is_reload": date_before is not none and (not before or version.generation > before.generation),
            "file_count": version.file_count,
        }) %}
    {% endfor %}
    {% do return(runs) %}
{% endmacro %}

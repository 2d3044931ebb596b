{% macro history_runs(line, base, before_line) %}
    {#-
        The published runs that brought changes since the base, oldest first. Each has a window,
        from the end of the run before it to the end of its own date: no change is told to be older
        than a state that readers have seen without it, or newer than one that they see with it.
    -#}
    {% set runs = [] %}
    {% for version in line if version.action != "carry" and (not base or version.run_date > base.run_date) %}
        {% set place = line.index(version) %}
        {% set before = line[place - 1] if place else before_line %}
        {% set starts_at = modules.datetime.datetime.strptime(before.run_date, "%Y-%m-%d") + modules.datetime.timedelta(days=1) if before else none %}
        {% do runs.append({
            "version": version.version,
            "run_date": version.run_date,
            "starts_at": starts_at,
            "generation": version.generation,
            "oldest_generation": before.generation if place else version.generation,
            "is_reload": before is not none and version.action == "build",
        }) %}
    {% endfor %}
    {% do return(runs) %}
{% endmacro %}

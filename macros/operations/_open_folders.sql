{% macro _open_folders(entries, closed, versions) %}
    {#-
        Where the open rows are from which a history would go on from each of some versions: those beside
        the newest partition on its line; before a full refresh every date is on it. See _history_base.
    -#}
    {% set made = {} %}
    {% for partition in closed %}{% do made.update({partition.version: partition.open}) %}{% endfor %}
    {% set open = {} %}
    {% for version, entry in entries.items() %}
        {% if entry.current_version != version %}
            {% do open.update({version: open[entry.current_version]}) %}
        {% elif entry.restored_version is not none %}
            {% do open.update({version: open[entry.restored_version]}) %}
        {% elif version in made %}
            {% do open.update({version: made[version]}) %}
        {% elif entry.base_version is not none %}
            {% do open.update({version: open[entry.base_version]}) %}
        {% else %}
            {% set before = closed | selectattr("run_date", "lt", entry.run_date) | sort(attribute="run_date") | last %}
            {% do open.update({version: before.open if before else none}) %}
        {% endif %}
    {% endfor %}
    {% set folders = [] %}
    {% for version in versions if open[version] %}{% do folders.append(open[version]) %}{% endfor %}
    {% do return(folders | unique | list) %}
{% endmacro %}

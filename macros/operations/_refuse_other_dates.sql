{% macro _refuse_other_dates(declared, state, dates) %}
    {#- Of all dates before the first is made: the states that they start from, and the changes that they take. -#}
    {% set shown = read_version(declared, state.newest).dates %}
    {% set bases, starts = [state.head.version], [] %}
    {% for date in dates %}
        {% set before = shown.keys() | select("lt", date) | sort | last %}
        {#- As _backfill_date goes on. -#}
        {% do (bases if before else starts).append(shown[before] if before else shown.values() | first) %}
    {% endfor %}
    {% set versions = read_versions(declared, (bases + starts + state.applied) | unique | list) %}
    {% set generations = [] %}
    {% for number in bases + starts %}{% do generations.append(versions[number].generation) %}{% endfor %}
    {% for number, version in versions.items() if number in bases or (number in state.applied and version.generation in generations) %}
        {% do refuse_other_declaration(declared, version) %}
    {% endfor %}
{% endmacro %}

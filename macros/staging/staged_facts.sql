{% macro staged_facts(manifest) %}
    {% set found, last = [], namespace(fingerprint=none) %}
    {% for folder in manifest.staged %}
        {% if folder.fingerprint != last.fingerprint %}
            {% set declared_as = manifest.declarations[folder.fingerprint] %}
            {% do found.append({"facts": fromjson(declared_as) if declared_as else none, "dates": []}) %}
            {% set last.fingerprint = folder.fingerprint %}
        {% endif %}
        {% do found[-1].dates.append(folder.run_date) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}


{% macro with_absent_columns_sql(changes_sql, declared, manifest) %}
    {% if declared.image != "partial" or not manifest %}{% do return(changes_sql) %}{% endif %}
    {% set renamed, cases = dms_snapshots.renamed_columns(declared), [] %}
    {% for one in dms_snapshots.staged_facts(manifest) if one.facts %}
        {% set known, absent, dates = one.facts.columns | map(attribute=0) | map("lower") | list, [], [] %}
        {% for column in declared.columns %}
            {% set names = [column.name] + renamed.get(column.name, []) | list %}
            {% if not names | map("lower") | select("in", known) | list %}
                {% do absent.append(dms_snapshots.sql_string(column.name)) %}
            {% endif %}
        {% endfor %}
        {% for date in one.dates %}{% do dates.append("date'" ~ date ~ "'") %}{% endfor %}
        {% if absent %}
            {% do cases.append(
                "when _dms_run_date in (" ~ dates | join(", ") ~ ") then array(" ~ absent | join(", ") ~ ")"
            ) %}
        {% endif %}
    {% endfor %}
    {% if not cases %}{% do return(changes_sql) %}{% endif %}
    {% set none_absent = "cast(array() as array<string>)" %}
    {% set columns = dms_snapshots.column_names(declared.columns + dms_snapshots.staging_columns()[:-2]) %}
    {% do return(
        "select " ~ columns ~ ", if(_dms_op = 'U', array_union(coalesce(_dms_absent, " ~ none_absent ~ "), case "
        ~ cases | join(" ") ~ " else " ~ none_absent ~ " end), _dms_absent) as _dms_absent, _dms_run_date"
        ~ " from (" ~ changes_sql ~ ")"
    ) %}
{% endmacro %}

{% macro refuse_other_runs(declared, plan) %}
    {#-
        The changes of a run stand in staging under the names of its time, and the open rows that a history
        goes on from were told apart by the key of theirs.
    -#}
    {% set versions = read_versions(declared, plan.runs | map(attribute="version") | list + ([plan.base.version] if plan.base else [])) %}
    {% for run in plan.runs %}{% do refuse_other_declaration(declared, versions[run.version]) %}{% endfor %}
    {% set then = versions[plan.base.version].primary_keys if plan.base else none %}
    {% if then is none %}{% do return(none) %}{% endif %}
    {% if has_no_files(versions[plan.base.version]) and not query_rows("select 1 as found from parquet." ~ sql_name(plan.base.open) ~ " limit 1") %}
        {% do return(none) %}
    {% endif %}
    {% set known, lowered = [], then | map("lower") | list %}
    {% for key in declared.primary_keys %}
        {% set names = [key] + renamed_columns(declared).get(key, []) | list %}
        {% if names | map("lower") | select("in", lowered) | list %}{% do known.append(key) %}{% endif %}
    {% endfor %}
    {% if known | length < declared.primary_keys | length or known | length != then | length %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": primary_keys are " ~ declared.primary_keys | join(", ") ~ ", and " ~ model.name ~ " tells rows apart by "
            ~ then | join(", ") ~ ". Nothing of it was changed. Declare a history of another name for the new key, and remove this one "
            ~ "from the project; what it has stays readable."
        ) %}
    {% endif %}
{% endmacro %}

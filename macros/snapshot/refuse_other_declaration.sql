{% macro refuse_other_declaration(declared, version, way_out) %}
    {#-
        A version that was made under another declaration cannot be gone on from: rows would be matched by
        another key, or their values looked for under a name that its files do not have.
    -#}
    {% if version.column_names is none %}{% do return(none) %}{% endif %}
    {% set problems = [] %}
    {% set keys = {"now": declared.primary_keys | map("lower") | sort, "then": version.primary_keys | map("lower") | sort} %}
    {% if keys.now != keys.then %}
        {% do problems.append("primary_keys are " ~ (declared.primary_keys | join(", ") or "none") ~ " and were " ~ (version.primary_keys | join(", ") or "none")) %}
    {% endif %}
    {% set there = version.column_names | map("lower") | list %}
    {% for name, earlier in renamed_columns(declared).items() if name | lower not in there %}
        {% for other in earlier if other | lower in there %}
            {% do problems.append("column " ~ name ~ " is called " ~ other ~ " in its files") %}
        {% endfor %}
    {% endfor %}
    {% set start_date = declared.cdc_start_date | string if declared.cdc_start_date else none %}
    {% if start_date != version.cdc_start_date %}
        {% do problems.append("cdc_start_date is " ~ (start_date or "none") ~ " and was " ~ (version.cdc_start_date or "none")) %}
    {% endif %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": version " ~ version.version ~ " was made under another declaration: " ~ problems | join("; ")
            ~ ". Nothing of this table was published. " ~ way_out
        ) %}
    {% endif %}
{% endmacro %}

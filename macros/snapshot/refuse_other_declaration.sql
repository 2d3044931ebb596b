{% macro refuse_other_declaration(declared, version) %}
    {#-
        A version that was made under another declaration cannot be gone on from: rows would be matched by
        another key, or their values looked for under a name that neither its files nor staging have.
    -#}
    {% if version.column_names is none or has_no_files(version) %}{% do return(none) %}{% endif %}
    {% set problems = [] %}
    {% if declared.primary_keys | map("lower") | sort != version.primary_keys | map("lower") | sort %}
        {% do problems.append("primary_keys are " ~ (declared.primary_keys | join(", ") or "none") ~ " and were " ~ (version.primary_keys | join(", ") or "none")) %}
    {% endif %}
    {% set now = declared.columns | map(attribute="name") | map("lower") | list %}
    {% set then = version.column_names | map("lower") | list %}
    {% set new, gone = now | reject("in", then) | list, then | reject("in", now) | list %}
    {% if new and gone %}
        {% do problems.append("columns " ~ gone | join(", ") ~ " are gone and " ~ new | join(", ") ~ " are new, and may be the same under another name") %}
    {% else %}
        {% for name, earlier in renamed_columns(declared).items() %}
            {% for other in earlier if other | lower in then %}
                {% do problems.append("column " ~ name ~ " is said to have been " ~ other ~ ", which is a column of its own there") %}
            {% endfor %}
        {% endfor %}
    {% endif %}
    {% set start_date = declared.cdc_start_date | string if declared.cdc_start_date else none %}
    {% if start_date != version.cdc_start_date %}
        {% do problems.append("cdc_start_date is " ~ (start_date or "none") ~ " and was " ~ (version.cdc_start_date or "none")) %}
    {% endif %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": version " ~ version.version ~ " was made under another declaration: " ~ problems | join("; ") ~ ". Nothing of "
            ~ "this table was changed. To go on from that version, declare it as it was then; or the columns of both, if none of them was renamed. One that "
            ~ "was can keep its name, with the new one of the files as renamed_from. Or build the state anew from the files of DMS: " ~ run_command(declared.table_name, full_refresh=true) ~ "."
        ) %}
    {% endif %}
{% endmacro %}

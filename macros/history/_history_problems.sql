{% macro _history_problems(history) %}
    {#- What is wrong with the configuration of a snapshot, each with what is allowed. -#}
    {% set problems = [] %}
    {% set declared = history.declared %}
    {% set names = declared.columns | map(attribute="name") | list %}
    {% set unique_key = config.get("unique_key") %}
    {% set unique_key = [unique_key] if unique_key is string else unique_key | list %}
    {% if config.get("strategy") != "check" %}
        {% do problems.append(
            "strategy is " ~ config.get("strategy") ~ "; allowed is check. When a row changed is known from DMS, so no "
            ~ "updated_at is needed: write strategy: check and check_cols: all"
        ) %}
    {% elif config.get("updated_at") %}
        {% do problems.append("updated_at is " ~ config.get("updated_at") ~ "; leave it out: when a row changed is known from DMS") %}
    {% endif %}
    {% if (config.get("file_format") or "parquet") != "parquet" %}
        {% do problems.append("file_format is " ~ config.get("file_format") ~ "; allowed is parquet") %}
    {% endif %}
    {% if not declared.primary_keys %}
        {% do problems.append(declared.label ~ " has no primary_keys; a table of which every insert is kept is its own history") %}
    {% elif unique_key | sort != declared.primary_keys | sort %}
        {% do problems.append(
            "unique_key is " ~ unique_key | join(", ") ~ "; allowed are the primary_keys of " ~ declared.label ~ ": "
            ~ declared.primary_keys | join(", ")
        ) %}
    {% endif %}
    {% if declared.image == "partial" %}
        {% do problems.append(
            declared.label ~ " has image: partial, so its changes are no whole rows; a history needs them whole. Log all columns "
            ~ "at the source, and remove image: partial"
        ) %}
    {% endif %}
    {% for column in history.tracked or [] if column not in names %}
        {% do problems.append("check_cols has " ~ column ~ ", which is no declared column; declared are " ~ names | join(", ")) %}
    {% endfor %}
    {% set lowered = names | map("lower") | list %}
    {% for column in history.columns + [closed_on_column()] if column.name | lower in lowered %}
        {% do problems.append(
            "column " ~ column.name ~ " of " ~ declared.label ~ " has a name that the history needs"
            ~ (" for itself" if column.name == closed_on_column().name else "; rename that one with snapshot_meta_column_names")
        ) %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}

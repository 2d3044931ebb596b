{% macro read_declaration(source_node) %}
    {% set written = source_node.config.meta.get("dms", {}) %}
    {% set declared = {
        "source_name": source_node.source_name,
        "table_name": source_node.name,
        "label": source_node.source_name ~ "." ~ source_node.name,
        "columns": source_node.columns.values() | list,
    } %}
    {% set problems = [] %}
    {% if written is mapping %}
        {% do declared.update(_with_defaults(written, dms_keys())) %}
        {% do problems.extend(_key_problems(written, dms_keys())) %}
    {% else %}
        {% do problems.append("config.meta.dms is " ~ written ~ "; allowed is a mapping of keys") %}
    {% endif %}
    {% if not problems %}
        {% do problems.extend(column_problems(declared)) %}
        {% do problems.extend(_csv_problems(declared.csv)) %}
        {% do problems.extend(_image_problems(declared)) %}
        {% do problems.extend(_path_problems(declared)) %}
        {% do problems.extend(_name_problems(declared)) %}
    {% endif %}
    {% do declared.update({"problems": problems}) %}
    {% do return(declared) %}
{% endmacro %}

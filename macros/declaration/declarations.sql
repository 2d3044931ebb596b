{% macro declarations() %}
    {#-
        All declarations and their problems, read once per command: `tables` by the unique_id of the source,
        `ids` from <source>.<table> to it. They are kept in graph.dms_declarations, which no other macro touches:
        dbt hands one graph to all nodes and threads of a command. Two threads that read at once read the same.
        Who wants to change a declaration takes a copy, as read_declaration gives it.
    -#}
    {% if "dms_declarations" in graph %}{% do return(graph.dms_declarations) %}{% endif %}
    {% set tables, ids, names, folders, keys = {}, {}, {}, [], dms_keys() %}
    {% for unique_id, node in graph.get("sources", {}).items() if "dms" in node.config.meta %}
        {% set written, label = node.config.meta.dms, node.source_name ~ "." ~ node.name %}
        {% set declared = {
            "source_name": node.source_name,
            "table_name": node.name,
            "label": label,
            "columns": node.columns.values() | list,
        } %}
        {% if written is mapping %}
            {% set read = _read_keys(written, keys) %}
            {% do declared.update(read.filled) %}
            {% set problems = read.problems or column_problems(declared) + _setting_problems(declared) %}
            {% do declared.update({"problems": problems}) %}
            {#- A table with wrong keys is corrected first, but it takes its folder and name from others. -#}
            {% if written.path is string and written.path %}
                {% do folders.append({
                    "path": absolute_path(written.path),
                    "declared": declared,
                    "has_wrong_keys": read.problems | length > 0,
                }) %}
            {% endif %}
        {% else %}
            {% set problem = "config.meta.dms is " ~ written ~ "; allowed is a mapping of keys" %}
            {% do declared.update({"problems": [problem]}) %}
        {% endif %}
        {% do names.setdefault(node.name | lower, {}).setdefault(node.name, label) %}
        {% do tables.update({unique_id: declared}) %}
        {% do ids.setdefault(label, unique_id) %}
    {% endfor %}

    {#- Sorted by path, what lies in a folder follows it. `above`: the folders that the one looked at lies in. -#}
    {% set above = [] %}
    {% for folder in folders | sort(attribute="path", case_sensitive=true) %}
        {% for other in above | reverse | list if not folder.path.startswith(other.path) %}
            {% do above.pop() %}
        {% endfor %}
        {% for other in above | reverse if other.declared.label != folder.declared.label %}
            {% if loop.first %}
                {% do folder.update({"clash": other.declared}) %}
                {% do other.setdefault("clash", folder.declared) %}
            {% endif %}
        {% endfor %}
        {% if not above or above[-1].path != folder.path %}{% do above.append(folder) %}{% endif %}
    {% endfor %}
    {% for folder in folders if not folder.has_wrong_keys %}
        {% set declared, other = folder.declared, folder.clash %}
        {% if other %}
            {% do declared.problems.append(
                "path " ~ declared.path ~ " and path " ~ other.path ~ " of " ~ other.label ~ " are one folder, or one "
                ~ "lies in the other; a folder belongs to one table: correct one path, or remove one declaration"
            ) %}
        {% endif %}
        {% for name, label in names[declared.table_name | lower].items() if name != declared.table_name %}
            {% do declared.problems.append(
                "table " ~ declared.table_name ~ " and table " ~ name ~ " of " ~ label ~ " have one name in the "
                ~ "metastore, which ignores case; rename one of them (its path can stay as it is)"
            ) %}
        {% endfor %}
    {% endfor %}
    {% set found = {"tables": tables, "ids": ids} %}
    {#- While dbt parses, not all sources are known. -#}
    {% if execute %}{% do graph.update({"dms_declarations": found}) %}{% endif %}
    {% do return(found) %}
{% endmacro %}

{% macro tell_copied_changes(files_sql, declared, base, files, copied) %}
    {#-
        Of a new full load that may be no work of DMS, but of a folder that was copied over itself, or of files that
        were moved within it: one that is as the one before was, under whatever names, though changes came after
        that, or one before which changes came again, which DMS writes once.
    -#}
    {% set newest = files | map(attribute="generation") | max %}
    {% set known = query_rows(
        "select distinct " ~ content_tag_sql("etag") ~ " as content from (" ~ files_sql ~ ") where kind = 'load' and generation = " ~ base.generation
    ) | map(attribute="content") | list %}
    {% set others, again = [], [] %}
    {% for file in files %}
        {% if file.kind == "load" and file.generation == newest and file.etag.split("#")[0] not in known %}
            {% do others.append(file.path) %}
        {% elif file.kind == "cdc" and file.generation < newest %}
            {% do again.append(file.path) %}
        {% endif %}
    {% endfor %}
    {% set replaced = "(" ~ changes_of_loads_sql(files_sql, declared, base.generation, newest - 1) ~ ")" %}
    {% if not others %}
        {% set doubtful = query_rows("select path, count(*) over () as path_count from " ~ replaced ~ " order by path limit 3") %}
        {% set doubt = "its full load has come again as it was, and replaces all changes after it (" ~ (doubtful | first | default({})).path_count ~ ")" %}
    {% elif again or copied %}
        {% set doubtful = query_rows(
            "select path from " ~ replaced ~ " where upload_count > 1" ~ (" or path = " ~ sql_string(copied[0]) if copied) ~ " order by path"
        ) | selectattr("path", "in", again + copied) | list %}
        {% set doubt = "change files have come again since they were read, and a new full load replaces what they say" %}
    {% endif %}
    {% if doubtful %}
        {% do warn_of_table(
            declared,
            doubt ~ ", for instance " ~ (doubtful | map(attribute="path") | list)[:3] | join(", "),
            "If DMS has loaded the table again, nothing is to be done. If the folder was copied over itself, or files were moved within it, what "
            ~ "these changes say is missing: let DMS load the table again."
        ) %}
    {% endif %}
{% endmacro %}

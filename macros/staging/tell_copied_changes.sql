{% macro tell_copied_changes(files_sql, declared, base, files, copied) %}
    {#-
        Of a new full load that may be no work of DMS, but of a folder that was copied over itself: one that is as
        the one before was, though changes came after that, or one before which changes came again, which DMS writes once.
    -#}
    {% set newest = files | map(attribute="generation") | max %}
    {% set uploads = "concat(path, '#', " ~ content_tag_sql("etag") ~ ")" %}
    {% set known = query_rows(
        "select distinct " ~ uploads ~ " as upload from (" ~ files_sql ~ ") where kind = 'load' and generation = " ~ base.generation
    ) | map(attribute="upload") | list %}
    {% set others, again = [], [] %}
    {% for file in files %}
        {% if file.kind == "load" and file.generation == newest and file.path ~ "#" ~ file.etag.split("#")[0] not in known %}
            {% do others.append(file.path) %}
        {% elif file.kind == "cdc" and file.generation < newest %}
            {% do again.append(file.path) %}
        {% endif %}
    {% endfor %}
    {% set replaced = "(select path, count(*) as upload_count from (" ~ files_sql ~ ") where kind = 'cdc' and generation between " ~ base.generation
        ~ " and " ~ (newest - 1) ~ " and file_time < date_add(date'" ~ run_date() ~ "', 1)"
        ~ (" and file_time >= date'" ~ declared.cdc_start_date ~ "'" if declared.cdc_start_date) ~ " group by path)" %}
    {% set doubts = [] %}
    {% if not others %}
        {% set changes = query_rows("select path, count(*) over () as path_count from " ~ replaced ~ " order by path limit 3") %}
        {% if changes %}
            {% do doubts.append("its full load has come again as it was, and replaces all changes after it (" ~ changes[0].path_count ~ ")") %}
        {% endif %}
    {% elif again or copied %}
        {% set changes = query_rows(
            "select path from " ~ replaced ~ " where upload_count > 1" ~ (" or path = " ~ sql_string(copied[0]) if copied) ~ " order by path"
        ) | selectattr("path", "in", again + copied) | list %}
        {% if changes %}{% do doubts.append("change files have come again since they were read, and a new full load replaces what they say") %}{% endif %}
    {% endif %}
    {% for doubt in doubts %}
        {% do warn_of_table(
            declared,
            doubt ~ ", for instance " ~ (changes | map(attribute="path") | list)[:3] | join(", "),
            "If DMS has loaded the table again, nothing is to be done. If the folder was copied over itself, what these changes say is missing: "
            ~ "let DMS load the table again."
        ) %}
    {% endfor %}
{% endmacro %}

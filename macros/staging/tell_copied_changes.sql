{% macro tell_copied_changes(files_sql, declared, base, files, copied) %}
    {#-
        Of a new full load that may be no work of DMS, but of a folder that was copied over itself: one that is as
        the one before was, though changes came after that, or one with which changes came again, which DMS writes once.
    -#}
    {% set newest = files | map(attribute="generation") | max %}
    {% set others = [] %}
    {#- A tag that has come to its path before is counted. -#}
    {% for file in files if file.kind == "load" and file.generation == newest and "#" not in file.etag %}{% do others.append(file.path) %}{% endfor %}
    {% set again = files | selectattr("kind", "equalto", "cdc") | selectattr("generation", "lt", newest) | map(attribute="path") | list %}
    {% set replaced = query_rows(
        "select path, count(*) > 1 as is_known from (" ~ files_sql ~ ") where kind = 'cdc' and generation between " ~ base.generation ~ " and "
        ~ (newest - 1) ~ " group by path order by path"
    ) if again or copied or not others else [] %}
    {% set doubtful = [] %}
    {% for file in replaced if not others or file.path in copied or file.is_known and file.path in again %}{% do doubtful.append(file.path) %}{% endfor %}
    {% if doubtful %}
        {% do warn_of_table(
            declared,
            ("change files came again together with a full load, which replaces them" if others else "its full load has come again as it was, and replaces all changes")
            ~ " (" ~ doubtful | length ~ "): " ~ doubtful[:3] | join(", ") ~ (", …" if doubtful | length > 3),
            "If DMS has loaded the table again, nothing is to be done. If the folder was copied over itself, what these changes say is missing: "
            ~ "let DMS load the table again."
        ) %}
    {% endif %}
{% endmacro %}

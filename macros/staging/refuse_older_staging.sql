{% macro refuse_older_staging(declared, base, head) %}
    {#-
        What an earlier command has staged is what the table was then: before a column was declared it had no
        value of it; under another key other rows belonged together; with the columns of the key in another
        order other full loads rose (loads_rise_sql); other settings read other changes out of the same files;
        before a rollback it had files that are withheld now.
    -#}
    {% set again = "Nothing was published. " ~ _with_staging(declared) %}
    {% set staged = query_rows(
        "select any_value(column_names) as column_names, any_value(primary_keys) as primary_keys, any_value(settings) as settings from " ~ ref("dms_staged_files")
        ~ " where " ~ staged_filter(declared, base)
    )[0] %}
    {% set problems = [] %}
    {% for column in declared.columns if staged.column_names and column.name | lower not in staged.column_names | map("lower") %}
        {% do problems.append("column " ~ column.name ~ " was declared") %}
    {% endfor %}
    {% if staged.column_names and declared.primary_keys | map("lower") | list != staged.primary_keys | map("lower") | list %}
        {% do problems.append("primary_keys, then " ~ (staged.primary_keys | join(", ") or "none") ~ ", were changed") %}
    {% endif %}
    {% set then = fromjson(staged.settings) if staged.settings else {} %}
    {% for key, value in staging_settings(declared).items() if then.get(key, value) != value %}
        {% do problems.append(key ~ ", then " ~ tojson(then[key]) ~ ", was changed to " ~ tojson(value)) %}
    {% endfor %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": " ~ problems | join(" and ") ~ " after the files of run_date " ~ run_date() ~ " were staged. " ~ again
        ) %}
    {% endif %}
    {% if not (head and head.withheld_count) %}{% do return(none) %}{% endif %}
    {% set withheld = query_rows(
        "select staged.path from " ~ ref("dms_staged_files") ~ " as staged left semi join (select inline(withheld) as (path, etag) from "
        ~ ref("snapshot_versions") ~ " where " ~ version_filter(declared, head.version) ~ ") as withheld on staged.path = withheld.path"
        ~ " and staged.etag = withheld.etag where " ~ staged_filter(declared, base) ~ " limit 1"
    ) %}
    {% if withheld %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": of the files that were staged for run_date " ~ run_date() ~ " some were rolled back, for instance "
            ~ withheld[0].path ~ ". " ~ again
        ) %}
    {% endif %}
{% endmacro %}

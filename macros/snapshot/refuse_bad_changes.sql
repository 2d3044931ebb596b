{% macro refuse_bad_changes(declared, plan, arriving, latest) %}
    {% if arriving | sum(attribute="null_keys") %}
        {% set nulls = [] %}
        {% for key in declared.primary_keys %}{% do nulls.append("latest." ~ sql_name(key) ~ " is null") %}{% endfor %}
        {% set condition = nulls | join(" or ") %}
        {% do _refuse_changes(declared, plan, latest, condition, "have NULL in a key column (" ~ declared.primary_keys | join(", ") ~ ")",
            "Declare the key that the source has, or mend the source" ~ (" and let DMS load the table again" if plan.staged.load_files) ~ ".") %}
    {% endif %}
    {% if not declared.primary_keys and arriving | sum(attribute="not_inserts") %}
        {% do _refuse_changes(declared, plan, latest, "latest._dms_op <> 'I'", "are updates or deletes, but primary_keys is []",
            "Without a key only inserts can be kept: declare the key of the table.") %}
    {% endif %}
{% endmacro %}

{% macro warn_of_key_forms(declared, job, version) %}
    {% set texts = [] %}
    {% for column in declared.columns
        if column.name in declared.primary_keys and column.data_type | lower == "string" %}
        {% do texts.append(column.name) %}
    {% endfor %}
    {% set matched = dms_snapshots.count_sum(version.counts, "rows_updated")
        - dms_snapshots.count_sum(version.counts, "rows_reinserted")
        + dms_snapshots.count_sum(version.counts, "rows_deleted") %}
    {#- Where rows may move to another key, what is merged does not say of a row whether it was inserted. -#}
    {% set is_asked = texts and not job.taken and not declared.before_image_prefix %}
    {% if not is_asked or dms_snapshots.count_sum(version.counts, "not_inserts") <= matched %}
        {% do return(none) %}
    {% endif %}
    {% set before = declared.table_name ~ "__keys_before" %}
    {% do dms_snapshots.create_before_view(
        before, declared, job, job.base.partitions if job.action == "merge" else []
    ) %}
    {% set found = dms_snapshots.query_rows(dms_snapshots._key_forms_sql(declared, texts, before, version)) %}
    {% if not found %}{% do return(none) %}{% endif %}
    {% do dms_snapshots.warn_of_table(
        declared,
        found[0].key_count ~ " updates or deletes find no row, but one whose key differs in form only, for instance "
        ~ found[0].changed_text ~ " beside " ~ found[0].earlier_text,
        "That row was left as it is. If they are one, declare "
        ~ dms_snapshots.key_form_advice(declared, texts, found[0].changed_key, found[0].earlier_key)
        ~ ", then: " ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
    ) %}
{% endmacro %}


{% macro key_form_advice(declared, texts, one, other) %}
    {% set folds, numbers, advice = {"trim": [], "lower": [], "unaccent": []}, [], [] %}
    {% for name in texts if one[name] != other[name] %}
        {% set left, right = one[name].rstrip(" "), other[name].rstrip(" ") %}
        {% set is_number = left != right and modules.re.match("^[-+.0-9eE ]+$", left) and modules.re.match(
            "^[-+.0-9eE ]+$", right
        ) %}
        {% set is_same_but_case = left | lower == right | lower %}
        {% set has_capitals = left | lower != left or right | lower != right %}
        {% set has_blanks = one[name][left | length:] != other[name][right | length:] %}
        {% for fold, is_wanted in {
            "trim": has_blanks,
            "lower": left != right and (is_same_but_case or has_capitals),
            "unaccent": not is_same_but_case,
        }.items() if is_wanted and not is_number %}
            {% do folds[fold].append(name) %}
        {% endfor %}
        {% if is_number %}{% do numbers.append(name) %}{% endif %}
    {% endfor %}
    {% for fold, columns in folds.items() if columns %}
        {% set names = [] %}
        {% for name in (declared[fold] + columns) | unique %}
            {% do names.append(dms_snapshots.yaml_name(name)) %}
        {% endfor %}
        {% do advice.append(fold ~ ": [" ~ names | join(", ") ~ "]") %}
    {% endfor %}
    {% if numbers %}{% do advice.append("a number as data_type of " ~ numbers | join(", ")) %}{% endif %}
    {% do return(advice | join(" and ")) %}
{% endmacro %}


{% macro _key_forms_sql(declared, texts, before, version) -%}
    {% set same_form = [] %}
    {#- Of the letters that unaccent takes accents from (pyspark_dms/reading/folding.py) the usual ones of Latin. -#}
    {% set accented = "àáâãäåāăąçćĉċčďđèéêëēĕėęěĝğġģĥħìíîïĩīĭįĵķĺļľłñńņňòóôõöøōŏőŕŗřśŝşšţťŧùúûüũūŭůűųŵýÿŷźżž" %}
    {% set plain = "aaaaaaaaacccccddeeeeeeeeegggghhiiiiiiiijkllllnnnnooooooooorrrsssstttuuuuuuuuuuwyyyzzz" %}
    {% for key in declared.primary_keys %}
        {% set is_text, sides = key in texts, [] %}
        {% for side in ["before", "changed"] %}
            {% set value = side ~ "." ~ dms_snapshots.sql_name(key) %}
            {% do sides.append(
                "coalesce(cast(try_cast(" ~ value ~ " as decimal(38, 10)) as string), translate(lower(rtrim(" ~ value
                ~ ")), '" ~ accented ~ "', '" ~ plain ~ "'))" if is_text else value
            ) %}
        {% endfor %}
        {% do same_form.append(sides | join(" = ")) %}
    {% endfor %}
    {% set keys = dms_snapshots.column_names(declared.primary_keys) %}
with changed as (

    select struct({{ keys }}) as changed_key, {{ keys }}
    from parquet.{{ dms_snapshots.sql_name(version.changes) }}
    where _dms_op <> 'I'

),

found as (

    select
        {{ "/*+ broadcast(changed) */" if dms_snapshots.has_few_changes(version) }} changed.changed_key,
        struct({{ dms_snapshots.column_names(declared.primary_keys, "before") }}) as earlier_key,
        {{ dms_snapshots.keys_match(declared, "before", "changed") }} as is_same
    from {{ dms_snapshots.sql_name(before) }} as before
    inner join changed on {{ same_form | join(" and ") }}

),

unmatched as (

    select changed_key, min(earlier_key) as earlier_key
    from found
    group by changed_key
    having not bool_or(is_same)

)

select
    changed_key,
    earlier_key,
    to_json(changed_key) as changed_text,
    to_json(earlier_key) as earlier_text,
    count(*) over () as key_count
from unmatched
order by changed_key
limit 1
{% endmacro %}

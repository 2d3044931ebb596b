{% macro _differences(then, now, is_whole, applied, since) %}
    {% set found, now_names, then_names = {}, {}, {} %}
    {% for column in now.columns %}{% do now_names.update({column[0] | lower: column}) %}{% endfor %}
    {% for column in then.columns %}{% do then_names.update({column[0] | lower: column}) %}{% endfor %}
    {% set new, gone, lost = [], [], [] %}
    {% for key, column in now_names.items() if key not in then_names %}{% do new.append(column[0]) %}{% endfor %}
    {% for key, column in then_names.items() if key not in now_names %}{% do gone.append(column[0]) %}{% endfor %}
    {% set published = applied.columns | map(attribute=0) | map("lower") | reject("in", since.new) | list %}
    {% for key, column in now_names.items() if key not in then_names and key in published + since.again %}
        {% do lost.append(column[0]) %}
    {% endfor %}
    {% if new %}{% do found.update({"new": [{"new": new | join(", ")}]}) %}{% endif %}
    {% if gone %}{% do found.update({"gone": [{"gone": gone | join(", ")}]}) %}{% endif %}
    {% if lost %}{% do found.update({"lost": [{"lost": lost | join(", ")}]}) %}{% endif %}
    {% if new and gone %}
        {% do found.update({"renamed": [{"new": new | join(", "), "gone": gone | join(", ")}]}) %}
    {% else %}
        {% for name, earlier in now.renamed_from.items() %}
            {% for other in earlier if other | lower in then_names %}
                {% do found.setdefault("reused_name", []).append({"name": name, "other": other}) %}
            {% endfor %}
        {% endfor %}
    {% endif %}

    {% set was_keys, now_keys = then.primary_keys | map("lower") | list, now.primary_keys | map("lower") | list %}
    {% set keys = {"was": then.primary_keys | join(", ") or "none", "now": now.primary_keys | join(", ") or "none"} %}
    {% if was_keys | sort != now_keys | sort %}{% do found.update({"keys": [keys]}) %}{% endif %}
    {#- What was unique together with the shard may not be without it; the other way round it is. -#}
    {% if was_keys | sort == now_keys | sort and now.unique_keys and not then.unique_keys %}
        {% do found.update({"unique_keys": [dict(keys, now=now.unique_keys | join(", "))]}) %}
    {% endif %}
    {% if was_keys | sort != applied.primary_keys | map("lower") | sort %}
        {% do found.update({"applied_keys": [dict(keys, now=applied.primary_keys | join(", ") or "none")]}) %}
    {% endif %}
    {#- Open rows stay, also under the earlier name of a key column. -#}
    {% set known, were = [], dict.fromkeys(was_keys) %}
    {% for key in now.primary_keys %}
        {% set names = [key] + now.renamed_from.get(key, []) %}
        {% if names | map("lower") | select("in", were) | list %}{% do known.append(key) %}{% endif %}
    {% endfor %}
    {% if known | length < now_keys | length or known | length != was_keys | length %}
        {% do found.update({"history_keys": [keys]}) %}
    {% endif %}

    {% if then.cdc_start_date != now.cdc_start_date %}
        {% do found.update({
            "cdc_start_date": [{"was": then.cdc_start_date or "none", "now": now.cdc_start_date or "none"}],
        }) %}
    {% endif %}
    {% set was, wanted, differs = then.settings or now.settings, now.settings, {} %}
    {% for key in ["timestamp_column", "change_seq_column"] %}
        {% do differs.update({key: was[key] | default("", true) | lower != wanted[key] | default("", true) | lower}) %}
    {% endfor %}
    {#-
        Settings without which staged changes cannot be merged with others. Staging does not have what was not
        declared: a part of a row looks as one with NULL, a row that moved to another key as two, and what has no
        time or sequence as the oldest. Times or sequences of two columns have no common order, and the time tells
        the images of one transaction. A full load has whole rows, and is older than all changes.
    -#}
    {% set by_time, was_zone = wanted.order_by == "timestamp", was.timestamp_timezone %}
    {% set finds_repeats = not now.primary_keys or wanted.before_image_prefix %}
    {% for key, matters in {
        "image": was.image == "partial" and wanted.image != "partial",
        "before_image_prefix": was.before_image_prefix and not wanted.before_image_prefix,
        "timestamp_column": (by_time and differs.timestamp_column)
            or (wanted.timestamp_column and wanted.before_image_prefix and not was.timestamp_column),
        "timestamp_timezone": by_time and was_zone and was_zone != wanted.timestamp_timezone,
        "change_seq_column": wanted.change_seq_column and (wanted.order_by == "change_seq" or finds_repeats)
            and differs.change_seq_column,
    }.items() if matters and not is_whole %}
        {% do found.setdefault("full_history_setting", []).append(
            {"key": key, "was": was[key] or "none", "now": wanted[key] or "none"}
        ) %}
    {% endfor %}
    {#- Rows that are there have their blanks, capitals and accents, or lack them. -#}
    {% for key in ["trim", "lower", "unaccent"] %}
        {% set had, has = (was[key] or []) | sort | join(", "), (wanted[key] or []) | sort | join(", ") %}
        {% if had != has %}
            {% do found.setdefault("folded", []).append({"key": key, "was": had or "none", "now": has or "none"}) %}
        {% endif %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}

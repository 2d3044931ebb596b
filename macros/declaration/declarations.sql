{% macro declarations() %}
    {% if "dms_declarations" in graph %}{% do return(graph.dms_declarations) %}{% endif %}
    {% set tables, ids, names, folders, keys = {}, {}, {}, [], dms_snapshots.dms_keys() %}
    {% for unique_id, node in graph.get("sources", {}).items() if "dms" in node.config.meta %}
        {% set written, label = node.config.meta.dms, node.source_name ~ "." ~ node.name %}
        {% set declared = {
            "source_name": node.source_name,
            "table_name": node.name,
            "label": label,
            "columns": node.columns.values() | list,
        } %}
        {% if written is mapping %}
            {% set read = dms_snapshots._read_keys(written, keys) %}
            {% do declared.update(read.filled) %}
            {% set has_path = not dms_snapshots._allowed_value(written.path, keys.path) %}
            {% do declared.update({"shards": dms_snapshots.shards_of(written.path) if has_path else []}) %}
            {% set problems = read.problems + dms_snapshots._problems_beside(declared, read.wrong) %}
            {% do declared.update({"problems": problems}) %}
            {% if not problems %}
                {#- Each folder has a state of its own, and all rows of its files have one shard. -#}
                {% set key, shard = declared.primary_keys, declared.shard_column %}
                {% do declared.update({
                    "declared_keys": key,
                    "primary_keys": [shard] + key | reject("equalto", shard) | list if shard and key else key,
                }) %}
            {% endif %}
            {% for path in (dms_snapshots.folder_texts(written.path) if has_path else []) %}
                {% do folders.append({
                    "path": dms_snapshots.absolute_path(path),
                    "written": path,
                    "declared": declared,
                }) %}
            {% endfor %}
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
                {% do folder.update({"clash": other}) %}
                {% do other.setdefault("clash", folder) %}
            {% endif %}
        {% endfor %}
        {% if not above or above[-1].path != folder.path %}{% do above.append(folder) %}{% endif %}
    {% endfor %}
    {% for folder in folders %}
        {% set declared, other = folder.declared, folder.clash %}
        {% if other %}
            {% do declared.problems.append(
                "path " ~ folder.written ~ " and path " ~ other.written ~ " of " ~ other.declared.label
                ~ " are one folder, or one lies in the other; a folder belongs to one table: correct one path, or "
                ~ "remove one declaration"
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


{% macro _read_keys(written, keys, prefix="") %}
    {% set filled, problems, wrong = {}, [], [] %}
    {% for key in written if key not in keys %}
        {% set near = [] %}
        {% for name in keys if name[:3] == (key | string | lower)[:3] %}{% do near.append(name) %}{% endfor %}
        {% do problems.append(
            "unknown key " ~ prefix ~ key ~ (" (did you mean " ~ near | sort | join(" or ") ~ "?)" if near else "")
            ~ "; allowed are " ~ keys.keys() | sort | join(", ")
        ) %}
        {% do wrong.extend(near) %}
    {% endfor %}
    {% for key, rule in keys.items() %}
        {% set value = written.get(key, rule.get("default")) %}
        {% if rule.kind == "characters" and value is string and "\\" in value %}
            {#- dbt removes line ends at the end of a value, so they are written as in JSON. -#}
            {% set value = fromjson('"' ~ value.replace('"', '\\"') ~ '"') %}
        {% endif %}
        {% set allowed = dms_snapshots._allowed_value(value, rule) if key in written %}
        {% if allowed %}
            {#- A date without quotes is no text, and JSON has no dates. -#}
            {% set shown = tojson(written[key] | string if rule.kind == "date" else written[key]) %}
            {% do problems.append("key " ~ prefix ~ key ~ " is " ~ shown ~ "; allowed is " ~ allowed) %}
        {% elif rule.required and key not in written %}
            {% do problems.append("key " ~ prefix ~ key ~ " is missing; allowed is " ~ rule.expected) %}
        {% endif %}
        {% if allowed or rule.required and key not in written %}
            {% do wrong.append(prefix ~ key) %}
            {% set value = "" if rule.kind == "folders" else rule.get("default", []) %}
        {% endif %}
        {% if rule.kind == "keys" %}
            {% set inner = dms_snapshots._read_keys(value, rule["keys"], prefix ~ key ~ ".") %}
            {% set value = inner.filled %}
            {% do problems.extend(inner.problems) %}
            {% do wrong.extend(inner.wrong) %}
        {% endif %}
        {% do filled.update({key: value}) %}
    {% endfor %}
    {% do return({"filled": filled, "problems": problems, "wrong": wrong}) %}
{% endmacro %}


{% macro _problems_beside(declared, wrong) %}
    {% set problems = dms_snapshots.column_problems(declared) %}
    {% set found = dms_snapshots._setting_problems(declared) + dms_snapshots.shard_problems(declared) %}
    {% set about_wrong = "(?<![a-z_.])(" ~ wrong | map("replace", ".", "[.]") | join("|") ~ ")(?![a-z_])" %}
    {% set beside = [] %}
    {% for problem in problems + found if not wrong or problem.startswith("column ")
        or not modules.re.search(about_wrong, problem) %}
        {% do beside.append(problem) %}
    {% endfor %}
    {% do return(beside) %}
{% endmacro %}


{% macro _setting_problems(declared) %}
    {% set problems, csv, keys = [], declared.csv, dms_snapshots.dms_keys() %}
    {% for first, second in [("delimiter", "row_delimiter"), ("delimiter", "quote"), ("row_delimiter", "quote")] %}
        {% if csv[first] | list | select("in", csv[second]) | list %}
            {% do problems.append(
                "csv." ~ first ~ " " ~ tojson(csv[first]) ~ " and csv." ~ second ~ " " ~ tojson(csv[second])
                ~ " share a character; they must be told apart"
            ) %}
        {% endif %}
    {% endfor %}
    {% if "\n" in csv.delimiter or "\r" in csv.delimiter %}
        {% do problems.append("csv.delimiter is " ~ tojson(csv.delimiter) ~ "; allowed is a text without line ends") %}
    {% endif %}
    {% if csv.row_delimiter[0] in csv.row_delimiter[1:] %}
        {% do problems.append(
            "csv.row_delimiter is " ~ tojson(csv.row_delimiter)
            ~ "; allowed is a text whose first character does not come again"
        ) %}
    {% endif %}
    {% if csv.no_sup_value == csv.null_value %}
        {% do problems.append(
            "csv.no_sup_value and csv.null_value are both " ~ tojson(csv.null_value)
            ~ "; unknown and NULL must be told apart"
        ) %}
    {% endif %}
    {% if csv.no_sup_value is not none and declared.image == "full" %}
        {% do problems.append(
            "csv.no_sup_value is set, but image is full; a column that may be unknown needs image: partial"
        ) %}
    {% endif %}
    {% if declared.image == "partial" and declared.before_image_prefix %}
        {% do problems.append(
            "image is partial, and before_image_prefix is set; allowed is one of them: a row that moves to another key "
            ~ "must be whole. Log all columns at the source, and remove image: partial"
        ) %}
    {% endif %}
    {% for key in ["image", "before_image_prefix"]
        if not declared.primary_keys and declared[key] not in [none, "full"] %}
        {% do problems.append(
            key ~ " is " ~ declared[key] ~ ", but primary_keys is []; only rows with a key are updated"
        ) %}
    {% endfor %}
    {% if declared.max_reinserted_fraction is not none and not (declared.primary_keys and declared.captures_deletes) %}
        {% do problems.append(
            "max_reinserted_fraction is " ~ declared.max_reinserted_fraction
            ~ ", which needs primary_keys and captures_deletes: true"
        ) %}
    {% endif %}
    {% for key, other in {
        "partition_granularity": "partition_date", "timestamp_timezone": "timestamp_column"
    }.items() if declared[key] != keys[key].default and not declared[other] %}
        {% do problems.append(key ~ " is " ~ declared[key] ~ ", which needs " ~ other) %}
    {% endfor %}
    {% if declared.format == "parquet" %}
        {% set defaults = dms_snapshots._read_keys({}, keys.csv["keys"]).filled %}
        {% for key, value in csv.items() if value != defaults[key] %}
            {% do problems.append("csv." ~ key ~ " is set, but format is parquet; allowed is one of them") %}
        {% endfor %}
    {% endif %}
    {% do problems.extend(dms_snapshots._csv_column_problems(declared)) %}
    {% set prefix = declared.before_image_prefix %}
    {% set lowered = dict.fromkeys(declared.columns | map(attribute="name") | map("lower")) if prefix else {} %}
    {% for key in declared.primary_keys if prefix and (prefix ~ key) | lower in lowered %}
        {% do problems.append(
            "before_image_prefix is " ~ prefix ~ ", but " ~ prefix ~ key
            ~ " is a declared column; it can be only one of them. Set another prefix at the DMS task"
        ) %}
    {% endfor %}
    {% set paths = {
        "path": dms_snapshots.folder_texts(declared.path), "transaction_path": [declared.transaction_path] | select
    } %}
    {% for key, folders in paths.items() %}
        {% for folder in folders
            if "://" in folder and "//" in dms_snapshots.absolute_path(folder).split("://", 1)[1] %}
            {% do problems.append(
                key ~ " is " ~ folder ~ ", with a folder without a name (//); no listing finds files there. "
                ~ "Remove the second slash; if DMS writes there, rename the table or schema by a mapping rule"
            ) %}
        {% endfor %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}


{% macro _csv_column_problems(declared) %}
    {% set listed, renamed = declared.csv.columns or [], dms_snapshots.renamed_columns(declared) %}
    {% if not listed or declared.on_schema_change == "fail" %}{% do return([]) %}{% endif %}
    {% set prefix, lowered = declared.before_image_prefix or "", listed | map("lower") | list %}
    {% set known, absent, unknown = [declared.change_seq_column | lower], [], [] %}
    {% for name in declared.columns | map(attribute="name") | reject("equalto", declared.shard_column) %}
        {% set earlier = renamed.get(name, []) %}
        {% set names = ([name] + (earlier if earlier is sequence else []) | list) | map("lower") | list %}
        {% do known.extend(names + [(prefix ~ name) | lower]) %}
        {% if not names | select("in", lowered) | list %}{% do absent.append(name) %}{% endif %}
    {% endfor %}
    {% for name in listed if name | lower not in known %}{% do unknown.append(name) %}{% endfor %}
    {% do return([
        "csv.columns has " ~ unknown | join(", ") ~ ", which is not declared, and lacks " ~ absent | join(", ")
        ~ "; a declared column that it lacks is NULL. Correct the name, or declare the one and remove the other"
    ] if unknown and absent else []) %}
{% endmacro %}


{% macro shard_problems(declared) %}
    {% set problems, names, column = [], [], declared.shard_column %}
    {% if declared.path is string %}
        {% do return(
            ["shard_column is " ~ column ~ ", but path is one folder; allowed is a list of them"] if column else []
        ) %}
    {% endif %}
    {% set types = {} %}
    {% for one in declared.columns %}
        {% do types.update({one.name: one.data_type | default("", true) | lower}) %}
    {% endfor %}
    {% if not column %}
        {% do problems.append(
            "path is a list of folders, and shard_column is missing: the column that says which of them a row is from"
        ) %}
    {% elif types.get(column) != "string" %}
        {% do problems.append(
            "shard_column is " ~ column ~ "; allowed is a declared column of data_type string, which the files do not "
            ~ "have. Add {name: " ~ dms_snapshots.yaml_name(column) ~ ", data_type: string} to columns"
        ) %}
    {% endif %}
    {% if declared.transaction_path %}
        {% do problems.append(
            "path is a list of folders, and transaction_path is set; allowed is one of them: its files do not say "
            ~ "which folder a row is of. Declare each folder as a table of its own"
        ) %}
    {% endif %}
    {% for shard in declared.shards %}
        {% for other in declared.shards[:loop.index0]
            if shard.path.startswith(other.path) or other.path.startswith(shard.path) %}
            {% do problems.append(
                "path has " ~ other.path ~ " and " ~ shard.path ~ ", which are one folder, or one lies in the other"
            ) %}
        {% endfor %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}

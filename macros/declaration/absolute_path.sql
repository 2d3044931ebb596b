{% macro absolute_path(path) %}
    {% set root = env_var("DMS_ROOT", "") %}
    {% if root.endswith("/") and path.startswith(root ~ "/") %}
        {% set path = root.rstrip("/") ~ path[root | length:] %}
    {% endif %}
    {% if "://" in path and not path.startswith("file:") %}
        {% do return(path if path.endswith("/") else path ~ "/") %}
    {% endif %}
    {% set is_plain = "://" not in path %}
    {% if is_plain and not path.startswith("/") %}
        {% set project_dir = invocation_args_dict.project_dir | string %}
        {% if not project_dir.startswith("/") %}
            {#- dbt gives --project-dir as it was typed, and a macro cannot ask where it was typed. -#}
            {% do dms_snapshots.fail(
                "E106",
                none,
                "path " ~ path ~ " is relative to the project, but --project-dir " ~ project_dir ~ " is relative too",
                "Nothing was run.",
                "Leave --project-dir out, or give it as an absolute path."
            ) %}
        {% endif %}
        {% do dms_snapshots.check_is_kept(
            project_dir ~ "/" ~ path, "Give path or DMS_ROOT as an absolute path, or in an object store."
        ) %}
        {% set path = project_dir ~ "/" ~ path %}
    {% endif %}
    {% set path = modules.re.sub("(?<![:/])/{2,}", "/", path ~ "/") %}
    {% if not is_plain %}{% do return(path) %}{% endif %}
    {#- The index has no folders `.` and `..` in the paths that it records. -#}
    {% set folders = [] %}
    {% for folder in path.split("/") if folder != "." %}
        {% do folders.append(folder) if folder != ".." else (folders.pop() if folders | length > 1) %}
    {% endfor %}
    {% do return(folders | join("/")) %}
{% endmacro %}


{% macro shards_of(path) %}
    {% if path is string %}{% do return([]) %}{% endif %}
    {% set folders, shards = [], [] %}
    {% for folder in path %}
        {% do folders.append(dms_snapshots.absolute_path(folder).rstrip("/").split("/")) %}
    {% endfor %}
    {% set shortest = folders | map("length") | min %}
    {% set shared = namespace(first=0, last=0) %}
    {#- A part of its own is left of each. -#}
    {% for place in range(shortest - 1) if dms_snapshots._is_shared(folders, place) and shared.first == place %}
        {% set shared.first = place + 1 %}
    {% endfor %}
    {% for place in range(shortest - 1 - shared.first)
        if dms_snapshots._is_shared(folders, -1 - place) and shared.last == place %}
        {% set shared.last = place + 1 %}
    {% endfor %}
    {% for folder in folders %}
        {% set own = folder[shared.first:folder | length - shared.last] %}
        {% do shards.append({"name": own | join("/"), "path": folder | join("/") ~ "/"}) %}
    {% endfor %}
    {% do return(shards) %}
{% endmacro %}


{% macro _is_shared(folders, place) %}
    {% set parts = {} %}
    {% for folder in folders %}{% do parts.update({folder[place]: none}) %}{% endfor %}
    {% do return(parts | length == 1) %}
{% endmacro %}


{% macro folder_texts(path) %}
    {% do return([path] if path is string else path) %}
{% endmacro %}

{% macro _kept_folders(declared, kept) %}
    {#-
        The folders of some versions, by where they are: their partitions (`rows`), the changes of every date that
        the feed has with them (`feed`), and the folders that they were staged in (`staged`, `reports`, `rejects`).
        What else a run has written, the changed keys and the rows they replaced, was for that run.
    -#}
    {% set folders, fed, wanted = {"rows": [], "feed": [], "staged": [], "reports": [], "rejects": []}, [], [] %}
    {% for version in kept %}{% do wanted.append([declared, version]) %}{% endfor %}
    {% for manifest in read_manifests(wanted, is_whole=true).get(declared.label, {}).values() %}
        {% do folders["rows"].extend(manifest.partitions | map(attribute="location")) %}
        {% do folders.staged.extend(manifest.staged | map(attribute="folder")) %}
        {% do folders.reports.extend(manifest.staged | map(attribute="report")) %}
        {% do folders.rejects.extend(manifest.staged | map(attribute="rejects") | select) %}
        {% do fed.append(manifest.version) %}
        {% do fed.extend((manifest.feed_dates or []) | map(attribute="version")) %}
    {% endfor %}
    {% do folders.feed.extend(feed_folders(declared, fed | unique | list).values()) %}
    {% do return(folders) %}
{% endmacro %}
